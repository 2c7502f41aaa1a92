package lacunatest

// What people do at a Server fails the test if it cannot be done. The Signer's own methods return the error instead.

func (s *Server) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Error(err) // not Fatal: it may be another goroutine than the test's
	}
}

// AddFolder makes a folder, below parent unless that is "", and returns its id.
func (s *Server) AddFolder(name, parent string) string {
	s.t.Helper()
	id, err := s.Signer.AddFolder(name, parent)
	s.must(err)
	return id
}

// AddDocument has a person create a document, and returns its id.
func (s *Server) AddDocument(d Document) string {
	s.t.Helper()
	id, err := s.Signer.AddDocument(d)
	s.must(err)
	return id
}

// State describes a document, which must be there.
func (s *Server) State(doc string) State {
	s.t.Helper()
	st, ok := s.Get(doc)
	if !ok {
		s.t.Errorf("there is no document %s", doc)
	}
	return st
}

// RemoveFolder deletes a folder with what is in it.
func (s *Server) RemoveFolder(id string) {
	s.t.Helper()
	s.must(s.Signer.RemoveFolder(id))
}

// Sign has the first participant whose turn it is sign.
func (s *Server) Sign(doc string) {
	s.t.Helper()
	s.must(s.Signer.Sign(doc))
}

// SignAs has a participant sign, by CPF.
func (s *Server) SignAs(doc, identifier string) {
	s.t.Helper()
	s.must(s.Signer.SignAs(doc, identifier))
}

// Approve has the first approver whose turn it is approve.
func (s *Server) Approve(doc string) {
	s.t.Helper()
	s.must(s.Signer.Approve(doc))
}

// Refuse has the first participant whose turn it is refuse.
func (s *Server) Refuse(doc, reason string) {
	s.t.Helper()
	s.must(s.Signer.Refuse(doc, reason))
}

// Conclude has everybody do what is left to do.
func (s *Server) Conclude(doc string) {
	s.t.Helper()
	s.must(s.Signer.Conclude(doc))
}

// Cancel cancels a document.
func (s *Server) Cancel(doc, reason string) {
	s.t.Helper()
	s.must(s.Signer.Cancel(doc, reason))
}

// Expire has a document expire.
func (s *Server) Expire(doc string) {
	s.t.Helper()
	s.must(s.Signer.Expire(doc))
}

// Move puts a document into another folder.
func (s *Server) Move(doc, folder string) {
	s.t.Helper()
	s.must(s.Signer.Move(doc, folder))
}

// Delete deletes a document.
func (s *Server) Delete(doc string) {
	s.t.Helper()
	s.must(s.Signer.Delete(doc))
}

// SetStatus gives a document any status.
func (s *Server) SetStatus(doc, status string) {
	s.t.Helper()
	s.must(s.Signer.SetStatus(doc, status))
}

// SetAction gives an action any status.
func (s *Server) SetAction(doc, action, status string) {
	s.t.Helper()
	s.must(s.Signer.SetAction(doc, action, status))
}

// Announce sends an event of any type.
func (s *Server) Announce(eventType, doc string) {
	s.t.Helper()
	s.must(s.Signer.Announce(eventType, doc))
}
