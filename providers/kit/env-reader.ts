import { plainNumber } from '../../core/plain-number.ts'
import { defaultOf, VARIABLES } from '../../contract/settings/variables.ts'
import type { VariableName } from '../../contract/settings/variables.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * Reads typed values of declared variables and collects every problem, so that all are reported at once. The default is the declared one
 * (`contract/settings/variables.ts`); a `fallback` is given only where it must be computed.
 */
export interface EnvReader {
  readonly problems: string[]
  text(name: VariableName, fallback?: string): string
  /** Null when unset or empty. */
  optional(name: VariableName): string | null
  integer(name: VariableName, range: { min: number; max: number }): number
  /** Seconds, fractions allowed: greater than 0, at most `max`. */
  seconds(name: VariableName, range: { max: number }): number
  /** A decimal number, such as 0.05. */
  decimal(name: VariableName, range: { min: number; max: number }): number
  oneOf<Choice extends string>(name: VariableName, choices: readonly Choice[], fallback?: Choice): Choice
  /** `true` or `false`. */
  flag(name: VariableName): boolean
  /** Items of a list that is separated by commas, without blanks. */
  list(name: VariableName): string[]
  /** An http or https address without its trailing slashes; null when unset. */
  url(name: VariableName): string | null
}

/** A reader over `env`; an empty variable counts as unset. Values of secrets are never part of a problem. */
export function createEnvReader(env: Env): EnvReader {
  const problems: string[] = []
  const refuse = (name: VariableName, value: string, expected: string): void => {
    problems.push(
      `${name}: invalid value${VARIABLES[name].isSecret === true ? '' : ` "${value}"`}: expected ${expected}`,
    )
  }
  const optional = (name: VariableName): string | null => {
    const value = env[name]?.trim() ?? ''
    return value === '' ? null : value
  }
  const text = (name: VariableName, fallback?: string): string => optional(name) ?? fallback ?? defaultOf(name)
  const oneOf = <Choice extends string>(name: VariableName, choices: readonly Choice[], fallback?: Choice): Choice => {
    const value = optional(name)
    const declared = (): Choice => fallback ?? choices.find((choice) => choice === defaultOf(name))!
    if (value === null) return declared()
    const choice = choices.find((candidate) => candidate === value)
    if (choice === undefined) refuse(name, value, `one of ${choices.join(', ')}`)
    return choice ?? declared()
  }
  return {
    problems,
    optional,
    text,
    oneOf,
    flag: (name) => oneOf(name, ['true', 'false']) === 'true',
    list: (name) =>
      (optional(name) ?? VARIABLES[name].default ?? '')
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    integer(name, { min, max }) {
      const value = optional(name)
      if (value === null) return Number(defaultOf(name))
      const number = plainNumber(value, 'whole') ?? NaN
      if (number >= min && number <= max) return number
      refuse(name, value, `a whole number from ${min} to ${max}`)
      return Number(VARIABLES[name].default ?? min)
    },
    seconds(name, { max }) {
      const value = optional(name)
      if (value === null) return Number(defaultOf(name))
      const number = plainNumber(value, 'decimal') ?? NaN
      if (number > 0 && number <= max) return number
      refuse(name, value, `a number of seconds greater than 0 and at most ${max}`)
      return Number(VARIABLES[name].default ?? max)
    },
    decimal(name, { min, max }) {
      const value = optional(name)
      if (value === null) return Number(defaultOf(name))
      const number = plainNumber(value, 'decimal') ?? NaN
      if (number >= min && number <= max) return number
      refuse(name, value, `a number from ${min} to ${max}`)
      return Number(VARIABLES[name].default ?? min)
    },
    url(name) {
      const value = optional(name)
      if (value === null) return null
      if (URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)) return value.replace(/\/+$/, '')
      problems.push(`${name}: invalid value: expected an http or https address`)
      return null
    },
  }
}
