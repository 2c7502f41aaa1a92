package api

import (
	"errors"
	"strings"
	"unicode"

	"github.com/danielgtaylor/huma/v2"

	"bulksigner/internal/fault"
	"bulksigner/internal/profile"
)

// spokenKey says in an operation's metadata that its problems are for people who write profiles, in their language.
// Everywhere else problems are English.
const spokenKey = "spoken"

// spoken completes a problem with the rules that were broken, and says it in the language that the client prefers. A
// detail in English can say more than the sentence for its code, and stays where English is preferred.
func spoken(ctx huma.Context, p *problem, err error) *problem {
	if ctx.Operation().Metadata[spokenKey] != true {
		return p
	}
	language := profile.LanguageFor(sent(ctx, "Accept-Language"))
	ctx.SetHeader("Content-Language", string(language))
	ctx.SetHeader("Vary", "Accept-Language")
	for _, r := range brokenRules(err) {
		message, remedy := r.In(language)
		p.Errors = append(p.Errors, problemError{Location: locationOf(r.Key), Message: message, Remedy: remedy, Rule: r.Rule})
	}
	said, known := portuguese[p.Code]
	if errors.Is(err, errUnconditional) {
		said = unconditionalInPortuguese
	}
	switch {
	case language == profile.Portuguese && known:
		p.Detail = said
	case p.Detail == "" && len(p.Errors) > 0:
		p.Detail = meanings[p.Code]
	}
	return p
}

// brokenRules are the rules of profiles that an error names.
func brokenRules(err error) []profile.Refusal {
	if r, ok := errors.AsType[*profile.Refused](err); ok {
		return r.Refusals
	}
	if r, ok := errors.AsType[*ruled](err); ok {
		return []profile.Refusal{r.refusal}
	}
	return nil
}

// locationOf is where a key of the settings file stands in a body: Certificate:Kms:KeyId is body.certificate.kms.keyId.
func locationOf(key string) string {
	path := []string{"body"}
	for part := range strings.SplitSeq(key, ":") {
		if part != "" {
			path = append(path, lowerFirst(part))
		}
	}
	return shorten(strings.Join(path, "."))
}

func lowerFirst(s string) string {
	r := []rune(s)
	r[0] = unicode.ToLower(r[0])
	return string(r)
}

const unconditionalInPortuguese = "envie " + ifMatch + " com o ETag que a leitura do perfil deu, ou um asterisco para qualquer versão"

// portuguese says in Brazilian Portuguese what the codes mean that routes of profiles answer.
var portuguese = map[fault.Code]string{
	fault.AuthInvalidCredentials: "a chave da API está ausente, incorreta ou repetida",
	fault.AuthMisconfigured:      "o serviço não tem chave da API; defina Auth:ApiKey",
	fault.CertificateExpired:     "o certificado está vencido",
	fault.CertificateInvalid:     "o certificado não pode ser lido",
	fault.CertificateMismatch:    "o certificado pertence a outra chave",
	fault.CertificateMissing:     "não há certificado onde o perfil indica",
	fault.CertificateNotYetValid: "o certificado ainda não é válido",
	fault.CertificateRevoked:     "o certificado foi revogado",
	fault.CertificateUnsuitable:  "o certificado não serve para assinaturas",
	fault.CertificateUntrusted:   "o certificado não leva a nenhuma raiz de confiança do serviço",
	fault.CertificateWithoutCPF:  "o certificado não tem CPF, e nada no Lacuna Signer poderia ser do seu titular; use um e-CPF ou e-CNPJ da ICP-Brasil",
	fault.KeyNotFound:            "não há chave onde o perfil indica",
	fault.KeyUnavailable:         "a chave não pode ser usada agora",
	fault.KeyUnsupported:         "a chave é de um tipo que não assina aqui",
	fault.PolicyNotInForce:       "nenhuma política de assinatura aplicável está em vigor",
	fault.ProfileChanged:         "outra pessoa salvou o perfil nesse meio-tempo; leia-o de novo",
	fault.ProfileExists:          "já existe um perfil com esse nome",
	fault.ProfileFolderTaken:     "outro perfil assina nessa pasta do Lacuna Signer",
	fault.ProfileInUse:           "há trabalhos do perfil que não terminaram, uma pasta monitorada o indica, ou ele é o padrão",
	fault.ProfileInvalid:         "o perfil viola regras, que errors enumera",
	fault.ProfileNotFound:        "não existe esse perfil",
	fault.RateLimited:            "houve requisições demais deste tipo a partir do seu endereço",
	fault.RequestInvalid:         "a requisição não pode ser usada",
	fault.RequestTooLarge:        "o corpo é maior do que se aceita aqui",
	fault.RevocationUnavailable:  "ninguém soube dizer se o certificado foi revogado",
	fault.SealImageMissing:       "a imagem do selo não está onde o perfil indica",
	fault.SignerNotConfigured:    "o serviço não tem o Lacuna Signer configurado; defina Signer:Endpoint e Signer:ApiKey",
	fault.SignerUnreachable:      "o Lacuna Signer não respondeu como esperado; tente de novo mais tarde",
	fault.Throttled:              "há trabalho demais no momento; tente de novo mais tarde",
}
