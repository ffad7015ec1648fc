// Parses answers.json by client.gen.go, the output of oapi-codegen.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

type answer struct {
	OperationID string          `json:"operationId"`
	Request     string          `json:"request"`
	Body        json.RawMessage `json:"body"`
}

func parse(operation string, response *http.Response) error {
	var err error
	switch operation {
	case "tokensOfAddress":
		_, err = ParseTokensOfAddressResponse(response)
	case "transactionsOfAddress":
		_, err = ParseTransactionsOfAddressResponse(response)
	case "tokenBalancesOfAddress":
		_, err = ParseTokenBalancesOfAddressResponse(response)
	case "nftsOfAddress":
		_, err = ParseNftsOfAddressResponse(response)
	case "transfersOfToken":
		_, err = ParseTransfersOfTokenResponse(response)
	case "logsOfAddress":
		_, err = ParseLogsOfAddressResponse(response)
	case "transfersOfTransaction":
		_, err = ParseTransfersOfTransactionResponse(response)
	case "holdersOfToken":
		_, err = ParseHoldersOfTokenResponse(response)
	case "summaryOfTransaction":
		_, err = ParseSummaryOfTransactionResponse(response)
	case "tokenOfAddress":
		_, err = ParseTokenOfAddressResponse(response)
	default:
		err = fmt.Errorf("no operation %s", operation)
	}
	return err
}

func run(file string) (int, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var answers []answer
	if err := json.Unmarshal(text, &answers); err != nil {
		return 0, err
	}
	for _, one := range answers {
		response := &http.Response{
			StatusCode: http.StatusOK,
			Header:     http.Header{"Content-Type": {"application/json; charset=utf-8"}},
			Body:       io.NopCloser(bytes.NewReader(one.Body)),
		}
		if err := parse(one.OperationID, response); err != nil {
			return 0, fmt.Errorf("%s: %w", one.Request, err)
		}
	}
	return len(answers), nil
}

func main() {
	count, err := run(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("parsed %d answers\n", count)
}
