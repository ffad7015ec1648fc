// Prints a compose project as JSON, as `docker compose config` reads it: validated against the
// schema of the compose specification, variables replaced by those of the environment.
//
//	compose FILE[,FILE...] [PROFILE...]
package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
)

func main() {
	project, err := printed(strings.Split(os.Args[1], ","), os.Args[2:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(project)
}

func printed(files []string, profiles []string) (string, error) {
	options, err := cli.NewProjectOptions(files, cli.WithOsEnv, cli.WithProfiles(profiles))
	if err != nil {
		return "", err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return "", err
	}
	text, err := project.MarshalJSON()
	return string(text), err
}
