const CREDENTIAL_NAME =
  /TOKEN|KEY|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIAL|PRIVATE|(^|_)(PAT|DSN|JWT|COOKIE)(_|$)|^SSH_AUTH_SOCK$|^(DATABASE|REDIS|POSTGRES|MONGO)\w*_URL$|_CONNECTION_STRING$|^MATRIX_EVIDENCE_URL$/i

/** Returns true when an environment variable's name indicates a credential: such values are neither shown nor passed on. */
export const isCredentialName = (name: string): boolean => CREDENTIAL_NAME.test(name)

/** An environment without unset variables and without credentials. */
export const withoutCredentials = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined && !isCredentialName(pair[0])),
  )
