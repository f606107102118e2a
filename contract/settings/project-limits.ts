import { VARIABLES, type VariableName } from './variables.ts'

// The `env_file` of consumer.yaml is part of a project, which may come from anyone (decision 057). It may set limits of the platform by itself:
// no address, path, credential or choice of who may come in. Host and platform both read the file, so the rule is here.

const LIMIT = /^(?:bytes|whole |seconds|number)/

/** True for a variable that an env file sets without being trusted. */
export function isProjectLimit(name: string): name is VariableName {
  if (!Object.hasOwn(VARIABLES, name)) return false
  const { by, form, isSecret } = VARIABLES[name as VariableName]
  return by === 'platform' && LIMIT.test(form) && isSecret !== true
}

/** A larger env file is not read. */
export const MOST_ENV_FILE_BYTES = 65_536
