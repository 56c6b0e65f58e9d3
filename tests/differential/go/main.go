// Renders with Go's text/template.
// Reads lines of JSON, {"template": …, "values": {…}}, and prints one line for each: {"text": …}, or {"error": …} with
// "parsed": true when the template was read and could not be rendered.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"text/template"
)

type pair struct {
	Template string
	Values   any
}

type result struct {
	Text   string `json:"text"`
	Error  string `json:"error,omitempty"`
	Parsed bool   `json:"parsed"`
}

// Numbers are integers where they are written as such, which JSON decoding alone would not give.
func typed(value any) any {
	switch value := value.(type) {
	case json.Number:
		if !strings.ContainsAny(value.String(), ".eE") {
			number, _ := value.Int64()
			return int(number)
		}
		number, _ := value.Float64()
		return number
	case []any:
		for index := range value {
			value[index] = typed(value[index])
		}
	case map[string]any:
		for key := range value {
			value[key] = typed(value[key])
		}
	}
	return value
}

func render(one pair) result {
	parsed, err := template.New("prompt").Option("missingkey=default").Parse(one.Template)
	if err != nil {
		return result{Error: err.Error()}
	}
	var text bytes.Buffer
	if err := parsed.Execute(&text, typed(one.Values)); err != nil {
		return result{Error: err.Error(), Parsed: true}
	}
	return result{Text: text.String(), Parsed: true}
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	lines := bufio.NewReader(os.Stdin)
	write := json.NewEncoder(out)
	write.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var one pair
			decoder := json.NewDecoder(bytes.NewReader(line))
			decoder.UseNumber()
			if err := decoder.Decode(&one); err != nil {
				panic(err)
			}
			write.Encode(render(one))
		}
		if err != nil {
			return
		}
	}
}
