// Checks dashboards by Grafana's own schema, those of their panels and queries included: each file
// of the arguments is read strictly, so that what Grafana does not know is an error, too.
package main

import (
	"fmt"
	"os"

	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	for _, file := range os.Args[1:] {
		// The library returns an empty list of errors, which is not nil.
		if err := check(file); err != nil && err.Error() != "" {
			fmt.Printf("%s: %v\n", file, err)
		}
	}
}

func check(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var read dashboard.Dashboard
	if err := read.UnmarshalJSONStrict(content); err != nil {
		return err
	}
	return read.Validate()
}
