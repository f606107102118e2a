/** Environment without what looks like a credential. */
export function withoutSecrets(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && !/TOKEN|KEY|SECRET|PASSWORD/i.test(pair[0]),
    ),
  )
}
