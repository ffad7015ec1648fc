// Reads a JSON list of pods from stdin and prints, one per line, each reason why the restricted Pod
// Security Standard of a Kubernetes version refuses one: the evaluator is that of the API server.
//
//	restricted 1.31 < pods.json
package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func main() {
	version, err := api.ParseVersion("v" + os.Args[1])
	fail(err)
	var pods []corev1.Pod
	fail(json.NewDecoder(os.Stdin).Decode(&pods))
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	fail(err)
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: version}
	for _, pod := range pods {
		for _, result := range evaluator.EvaluatePod(restricted, &pod.ObjectMeta, &pod.Spec) {
			if !result.Allowed {
				fmt.Printf("%s: %s: %s\n", pod.Name, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
