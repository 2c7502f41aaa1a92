package paper

import (
	"fmt"
	"io"
)

// Invoice is an electronic invoice of at least so many bytes, shaped like Brazil's NF-e. What is signed in one is the
// element infNFe, or the whole.
type Invoice struct {
	Size      int64
	Signature string // a template put in where a signature goes, or empty
}

// InvoiceID is the identifier of the element infNFe.
const InvoiceID = "NFe35200199999999000191550010000000011062777167"

// InvoiceSpace is the namespace of an invoice.
const InvoiceSpace = "http://www.portalfiscal.inf.br/nfe"

// WriteTo implements io.WriterTo.
func (i Invoice) WriteTo(w io.Writer) (int64, error) {
	c := &counter{w: w}
	fmt.Fprintf(c, `<NFe xmlns="%s"><infNFe Id="%s" versao="4.00">`, InvoiceSpace, InvoiceID)
	for n := 1; c.n < i.Size && c.err == nil; n++ {
		fmt.Fprintf(c, `<det nItem="%d"><prod><cProd>E-%[1]d</cProd><xProd>Armário com portas &amp; gavetas</xProd><NCM>94033000</NCM>`+
			`<CFOP>5102</CFOP><uCom>UNID</uCom><qCom>1.0000</qCom><vProd>14.00</vProd></prod><imposto><vTotTrib>0.00</vTotTrib></imposto></det>`, n)
	}
	fmt.Fprintf(c, `</infNFe>%s</NFe>`, i.Signature)
	return c.n, c.err
}
