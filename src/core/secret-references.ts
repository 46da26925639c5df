// The references to secrets in the texts of a value: ${SECRET:NAME} and ${TOTP:NAME}. Pure.
export const SECRET_REFERENCE = /\$\{(SECRET|TOTP):([^}]{1,200})\}/g;

export const listSecretReferences = (value: unknown): string[] =>
  (JSON.stringify(value) ?? '').match(SECRET_REFERENCE) ?? [];
