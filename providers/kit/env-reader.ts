type Env = Readonly<Record<string, string | undefined>>

/** Reads typed values from the environment and collects every problem, so that all are told at once. */
export interface EnvReader {
  readonly problems: string[]
  text(name: string, fallback: string): string
  /** Null when unset or empty. */
  optional(name: string): string | null
  integer(name: string, fallback: number, range: { min: number; max: number }): number
  /** Seconds, fractions allowed: greater than 0, at most `max`. */
  seconds(name: string, fallback: number, range: { max: number }): number
  oneOf<Choice extends string>(name: string, fallback: Choice, choices: readonly Choice[]): Choice
  /** An http or https address without its trailing slashes; null when unset. */
  url(name: string): string | null
}

/** A reader over `env`; an empty variable counts as unset. Values of secrets never get into a problem. */
export function createEnvReader(env: Env): EnvReader {
  const problems: string[] = []
  const optional = (name: string): string | null => {
    const value = env[name]?.trim() ?? ''
    return value === '' ? null : value
  }
  return {
    problems,
    optional,
    text: (name, fallback) => optional(name) ?? fallback,
    integer(name, fallback, { min, max }) {
      const value = optional(name)
      if (value === null) return fallback
      const number = /^[+-]?\d+$/.test(value) ? Number(value) : NaN
      if (number >= min && number <= max) return number
      problems.push(`${name}: "${value}" is not a whole number from ${min} to ${max}`)
      return fallback
    },
    seconds(name, fallback, { max }) {
      const value = optional(name)
      if (value === null) return fallback
      const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN
      if (number > 0 && number <= max) return number
      problems.push(`${name}: "${value}" is not a number of seconds greater than 0 and at most ${max}`)
      return fallback
    },
    oneOf(name, fallback, choices) {
      const value = optional(name)
      if (value === null) return fallback
      const choice = choices.find((candidate) => candidate === value)
      if (choice === undefined) problems.push(`${name}: "${value}" is none of ${choices.join(', ')}`)
      return choice ?? fallback
    },
    url(name) {
      const value = optional(name)
      if (value === null) return null
      if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '')
      problems.push(`${name}: not an http or https address`)
      return null
    },
  }
}
