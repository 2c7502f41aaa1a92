//go:build ignore

// Gen makes the font of seals from Go Regular, as it comes with golang.org/x/image/font/gofont/ttfs.
package main

import (
	"flag"
	"log"
	"os"

	"bulksigner/internal/sign/pades/typeface"
)

// kept are the characters, by first and last: the Latin script, accents, punctuation, currencies, a few signs and marks.
var kept = [][2]rune{
	{0x20, 0x7E}, {0xA0, 0x24F}, {0x2C6, 0x2DD}, {0x1E80, 0x1EFF}, {0x2010, 0x2044}, {0x2070, 0x209F}, {0x20A0, 0x20BF},
	{0x2116, 0x2122}, {0x2190, 0x2193}, {0x2212, 0x2212}, {0x2248, 0x2265}, {0x25A0, 0x25CF}, {0xFB01, 0xFB02},
	{0xFFFD, 0xFFFD},
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "regular.ttf", "the font to write")
	flag.Parse()
	whole, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	font, err := typeface.Parse(whole)
	if err != nil {
		log.Fatal(err)
	}
	var characters []rune
	for _, r := range kept {
		for c := r[0]; c <= r[1]; c++ {
			characters = append(characters, c)
		}
	}
	if err := os.WriteFile(*out, font.Reduce(characters), 0o644); err != nil {
		log.Fatal(err)
	}
}
