package icpbrasil

import "strings"

// Lengths of the numbers of people and companies, and the highest weight that a character has in their check digits.
const (
	cpfLength, cpfWeight   = 11, 11
	cnpjLength, cnpjWeight = 14, 9
)

// isCPF reports whether s is a CPF with its two check digits. Eleven equal digits, which have right ones, are no CPF;
// zeros stand for a number that is missing.
func isCPF(s string) bool {
	if len(s) != cpfLength || !areDigits(s) || strings.Count(s, s[:1]) == cpfLength {
		return false
	}
	return checked(s, cpfWeight)
}

// isCNPJ reports whether s is a CNPJ with its two check digits. The characters before them may be letters.
func isCNPJ(s string) bool {
	if len(s) != cnpjLength || strings.Count(s, s[:1]) == cnpjLength {
		return false
	}
	return strings.Trim(s, digits+letters) == "" && checked(s, cnpjWeight)
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func areDigits(s string) bool { return strings.Trim(s, digits) == "" }

// checked reports whether the last two characters of s are the check digits of those before them. Weights go from 2, at
// the character before the digit, to highest, and then from 2 again.
func checked(s string, highest int) bool {
	return s[len(s)-2] == checkDigit(s[:len(s)-2], highest) && s[len(s)-1] == checkDigit(s[:len(s)-1], highest)
}

// checkDigit weighs a letter by its place in ASCII, as the Receita Federal defines it.
func checkDigit(s string, highest int) byte {
	sum := 0
	for i := range len(s) {
		sum += int(s[len(s)-1-i]-'0') * (2 + i%(highest-1))
	}
	if rest := sum % 11; rest >= 2 {
		return byte('0' + 11 - rest)
	}
	return '0'
}
