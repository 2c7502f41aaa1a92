package lacunatest

import "time"

func (s *Signer) organization() organizationInfo {
	o := s.o.Organization
	return organizationInfo{ID: o.ID, Name: text(o.Name), Identifier: text(o.CNPJ)}
}

// information is what events tell of a document.
func (s *Signer) information(d *document) information {
	i := information{
		ID: d.id, Name: text(d.name), CreationDate: date(d.created), UpdateDate: date(d.updated),
		Organization: s.organization(), CreatedBy: d.creator,
	}
	if d.folder != nil {
		i.Folder = &eventFolder{*d.folder.info(), text(s.o.Organization.Name)}
	}
	return i
}

// item is a document in a list.
func (d *document) item() listModel {
	return listModel{
		ID: d.id, Name: text(d.name), CreationDate: date(d.created), UpdateDate: date(d.updated), Folder: d.folder.info(), Tags: d.tags,
	}
}

// model is a document with all its details.
func (s *Signer) model(d *document) documentModel {
	m := documentModel{
		ID: d.id, Name: text(d.name), FileName: text(d.fileName), FileSize: len(d.original.bytes), MimeType: text(d.mime),
		ChecksumMD5: text(d.original.md5()), Key: text(d.key), Status: d.status, IsConcluded: d.status == Concluded,
		HasSignature: d.signed(), ForceCades: d.forceCades, Folder: d.folder.info(), Organization: s.organization(),
		CreationDate: date(d.created), UpdateDate: date(d.updated), ExpirationDate: dateOrNull(d.ends), CreatedBy: d.creator,
		Description: text(d.description), StatusUpdatedBy: d.by, StatusUpdateReason: text(d.reason), FlowActions: []actionModel{},
		Observers: []any{}, Attachments: []any{}, Permissions: permissions{true, true}, NotifiedEmails: d.notified, Tags: d.tags,
		SignatureType: "None",
	}
	if !d.ends.IsZero() {
		m.ExpirationDateWithoutTime = text(d.ends.In(instanceZone()).Format(time.DateOnly))
	}
	for _, a := range d.actions {
		m.FlowActions = append(m.FlowActions, a.model())
	}
	return m
}

func (d *document) signed() bool {
	for _, a := range d.actions {
		if signs(a) && a.status == Completed {
			return true
		}
	}
	return false
}

func (a *action) model() actionModel {
	m := actionModel{
		ID: a.id, Type: a.kind, Status: a.status, Step: a.step, CreationDate: date(a.created), PendingDate: dateOrNull(a.pending),
		UpdateDate: date(a.updated), Title: text(a.title), Marks: []any{}, RefusalReason: text(a.refusal),
		SignatureInitials: "None", NotificationLanguage: "Pt",
	}
	if a.kind != TypeSignRule {
		u := a.user.model()
		m.User = &u
	}
	if a.status == Completed && signs(a) {
		m.IsElectronic = new(bool)
	}
	for _, member := range a.members {
		r := ruleUser{participant: member.model()}
		if a.status == Completed && member.id == a.user.id {
			r.SignatureDate, r.CompleteActionDate = dateOrNull(a.updated), dateOrNull(a.updated)
		}
		m.SignRuleUsers, m.RuleUsers = append(m.SignRuleUsers, r), append(m.RuleUsers, r)
		m.NumberRequiredSignatures, m.NumberRequiredActions = 1, 1
	}
	return m
}

func (u user) model() participant {
	return participant{ID: text(u.id), Name: text(u.Name), Identifier: text(u.Identifier), Email: text(u.Email)}
}
