import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { plainNumber, type NumberKind } from '../../core/plain-number.ts'
import { helpTable, wrap } from '../lib/text/terminal-text.ts'
import { InputError } from '../manifests/runner-inputs.ts'

/** Exit codes of every command; documented in docs/guide/headless-and-ci.md. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  badInput: 2,
  cellsFailed: 3,
  evidenceRefused: 4,
  serviceFailed: 5,
  gateFailed: 6,
  gateOpen: 7,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

type OptionValue = string | number | boolean | undefined

interface OptionText {
  description: string
  /** States how the value is called in the help. */
  hint?: string
}

/** An option that takes a number: its kind, its range and a valid example. */
interface NumberOption extends OptionText {
  type: 'number'
  kind: NumberKind
  /** The least value; `above` instead where it is excluded. */
  from?: number
  above?: number
  /** The greatest value; none where it is absent. */
  to?: number
  example: number
  default?: number
}

/** An option that takes a text. */
export const textValue = (hint: string, description: string) => ({ type: 'string', hint, description }) as const

/** An option that is given or not. */
export const flag = (description: string) => ({ type: 'boolean', description }) as const

/** An option that takes a whole number; without `to`, any from `from`. */
export const wholeNumber = (from: number, to: number | null, example: number) =>
  ({ type: 'number', kind: 'whole', hint: 'N', from, ...(to === null ? {} : { to }), example }) as const

/** An option that takes a number with a fraction. */
export const decimalNumber = (range: { from: number; to: number } | { above: number; to: number }, example: number) =>
  ({ type: 'number', kind: 'decimal', hint: 'N', ...range, example }) as const

export type Option =
  | (OptionText & { type: 'string'; default?: string })
  | (OptionText & { type: 'boolean'; default?: boolean })
  | NumberOption

export interface Invocation {
  values: Readonly<Record<string, OptionValue>>
  positionals: string[]
  /** Holds what is wrong with numbers, for a command that reports it together with its other problems. */
  problems?: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

export interface Command {
  name: string
  /** Arguments after the options, such as `<file>`. */
  positionals?: string
  options: Readonly<Record<string, Option>>
  /** Of a command of several verbs: how each is written, and what it does. */
  verbs?: readonly (readonly [usage: string, about: string])[]
  /** Reports `Invocation.problems` itself, so that all problems come at once. For any other command, they are thrown before it runs. */
  collectsProblems?: true
  run: (invocation: Invocation) => Promise<ExitCode>
}

/** An option's text; null when it was not given. */
export function textOption(invocation: Invocation, name: string): string | null {
  const value = invocation.values[name]
  return typeof value === 'string' && value !== '' ? value : null
}

/** An option's number; null when it was not given. */
export function numberOption({ values }: Pick<Invocation, 'values'>, name: string): number | null {
  const value = values[name]
  return typeof value === 'number' ? value : null
}

export function flagOption(invocation: Pick<Invocation, 'values'>, name: string): boolean {
  return invocation.values[name] === true
}

/** Parses a command's arguments. Throws `InputError` for unknown options, surplus arguments and values that are not the numbers asked for. */
export function parseCommandLine(
  command: Command,
  args: string[],
): Pick<Invocation, 'values' | 'positionals'> & { problems: readonly string[] } {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean' } }
  for (const [name, option] of Object.entries(command.options)) {
    if (option.type === 'number' || option.default === undefined)
      options[name] = { type: option.type === 'boolean' ? 'boolean' : 'string' }
    else options[name] = { type: option.type, default: option.default }
  }
  try {
    const parsed = parseArgs({
      args,
      options,
      allowNegative: true,
      allowPositionals: command.positionals !== undefined,
      strict: true,
    })
    const texts = parsed.values as Record<string, string | boolean | undefined>
    const { values, problems } = valuesOf(command, texts)
    if (problems.length > 0 && command.collectsProblems !== true) throw new InputError(problems)
    return { values, positionals: parsed.positionals, problems }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError([`${parsingProblem((error as Error).message)}. See: rag-ladder ${command.name} --help`])
  }
}

function parsingProblem(message: string): string {
  const option = /^Option '(--[\w-]+)' argument is ambiguous/.exec(message)?.[1]
  return option === undefined
    ? message.split('. To specify')[0]!
    : `${option} has no value; one that begins with a dash is written ${option}=-…`
}

const BLANK = /^\s*$/
const NAMELESS = /^[\s,]*$/

/** Checks values and parses number options. A missing or malformed number gets the default; a malformed or an empty value is also a problem. */
function valuesOf(
  { options }: Command,
  texts: Readonly<Record<string, OptionValue>>,
): { values: Record<string, OptionValue>; problems: string[] } {
  const values = { ...texts }
  const problems: string[] = []
  for (const [name, option] of Object.entries(options)) {
    const text = texts[name]
    const isEmpty = typeof text === 'string' && (option.hint?.endsWith(',...') === true ? NAMELESS : BLANK).test(text)
    // A variable of a script that is not set must not mean the default.
    if (isEmpty) problems.push(`--${name} is empty: give it a value, or leave the option out`)
    if (option.type !== 'number') continue
    if (typeof text !== 'string' || isEmpty) {
      values[name] = option.default
      continue
    }
    const value = plainNumber(text, option.kind)
    const { from = -Infinity, above = -Infinity, to = Infinity, kind, example } = option
    if (value !== null && value >= from && value > above && value <= to) values[name] = value
    else {
      values[name] = option.default
      const noun = kind === 'whole' ? 'a whole number' : 'a number'
      problems.push(
        `invalid value for --${name}: expected ${noun} ${rangeWords(option)}, got ${text}; example: --${name} ${example}`,
      )
    }
  }
  return { values, problems }
}

/** `from 1 to 32`, `from 0`, `above 0 and at most 3600`. */
function rangeWords({ from, above, to }: NumberOption): string {
  if (above !== undefined) return to === undefined ? `above ${above}` : `above ${above} and at most ${to}`
  return to === undefined ? `from ${from}` : `from ${from} to ${to}`
}

/** Help text of one command. */
export function commandHelp(command: Command, summary: string, columns: number): string {
  const options = Object.entries(command.options).map(([name, option]) => {
    const label = option.type === 'boolean' ? `--[no-]${name}` : `--${name} ${option.hint ?? 'VALUE'}`
    const more = [
      ...(option.type === 'number' ? [rangeWords(option)] : []),
      ...(option.default === undefined ? [] : [`default: ${option.default}`]),
    ]
    return [label, `${option.description}${more.length === 0 ? '' : ` (${more.join('; ')})`}`] as const
  })
  const rows = helpTable(options, 26, columns)
  const usage = ['rag-ladder', command.name, ...(rows.length > 0 ? ['[options]'] : []), command.positionals ?? '']
    .join(' ')
    .trim()
  const verbs = (command.verbs ?? []).flatMap(([form, about]) => [
    ...wrap(form, columns - 2, '    ').map((line) => `  ${line}`),
    ...wrap(about, columns - 6).map((line) => `      ${line}`),
  ])
  return [
    ...wrap(summary, columns),
    '',
    `Usage: ${usage}`,
    ...(verbs.length > 0 ? ['', ...verbs] : []),
    ...(rows.length > 0 ? ['', ...rows] : []),
    '',
  ].join('\n')
}
