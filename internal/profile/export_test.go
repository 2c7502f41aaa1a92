package profile

// Rules is the table of what Check refuses.
func Rules() []Refusal {
	all := make([]Refusal, len(rules))
	for i, r := range rules {
		all[i] = r.refusal()
	}
	return all
}

// Table is every refusal that there is: Rules, what those refuse who see more, and refused keys.
func Table() []Refusal {
	all := append(Rules(), noAnchors, noSigner, noEncryption, NameTaken, FolderTaken("ledgers"), WithoutHolder, takesNoFiles, watchedDisabled)
	for _, k := range refusedKeys {
		all = append(all, k.refusal())
	}
	return all
}
