import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { wrap } from '../lib/terminal-text.ts'
import { InputError } from '../manifests/runner-inputs.ts'

/** Exit codes of every command; documented in docs/guide/headless-and-ci.md. */
export const EXIT = {
  ok: 0,
  unexpected: 1,
  badInput: 2,
  cellsFailed: 3,
  evidenceRefused: 4,
  serviceFailed: 5,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

export type OptionValue = string | boolean | string[] | undefined

export interface Option {
  type: 'string' | 'boolean'
  description: string
  default?: string | boolean
  /** How the value is called in the help. */
  hint?: string
}

export interface Invocation {
  values: Readonly<Record<string, OptionValue>>
  positionals: string[]
  env: Readonly<Record<string, string | undefined>>
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

export interface Command {
  name: string
  summary: string
  /** Arguments after the options, such as `<file>`. */
  positionals?: string
  options: Readonly<Record<string, Option>>
  /** Of a command of several verbs: how each is written, and what it does. */
  verbs?: readonly (readonly [usage: string, about: string])[]
  run: (invocation: Invocation) => Promise<ExitCode>
}

/** An option's text; null when it was not given. */
export function textOption(invocation: Invocation, name: string): string | null {
  const value = invocation.values[name]
  return typeof value === 'string' && value !== '' ? value : null
}

export function flagOption(invocation: Pick<Invocation, 'values'>, name: string): boolean {
  return invocation.values[name] === true
}

/** Parses a command's arguments. Throws `InputError` for unknown options and surplus arguments. */
export function parseCommandLine(command: Command, args: string[]): Pick<Invocation, 'values' | 'positionals'> {
  const options: ParseArgsOptionsConfig = { help: { type: 'boolean' } }
  for (const [name, { type, default: preset }] of Object.entries(command.options))
    options[name] = preset === undefined ? { type } : { type, default: preset }
  try {
    const parsed = parseArgs({
      args,
      options,
      allowNegative: true,
      allowPositionals: command.positionals !== undefined,
      strict: true,
    })
    return { values: parsed.values as Record<string, OptionValue>, positionals: parsed.positionals }
  } catch (error) {
    const message = (error as Error).message.split('. To specify')[0]!
    throw new InputError([`${message}. See: rag-ladder ${command.name} --help`])
  }
}

/** Help text of one command. */
export function commandHelp(command: Command, columns: number): string {
  const options = Object.entries(command.options).map(([name, option]) => {
    const label = option.type === 'string' ? `--${name} ${option.hint ?? 'VALUE'}` : `--[no-]${name}`
    const preset = option.default === undefined ? '' : ` (default: ${option.default})`
    return [label, `${option.description}${preset}`] as const
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
    ...wrap(command.summary, columns),
    '',
    `Usage: ${usage}`,
    ...(verbs.length > 0 ? ['', ...verbs] : []),
    ...(rows.length > 0 ? ['', ...rows] : []),
    '',
  ].join('\n')
}

/** Rows of a name and its description, wrapped so that no line is wider than `columns`. */
export function helpTable(rows: readonly (readonly [string, string])[], nameWidth: number, columns: number): string[] {
  const indent = ' '.repeat(nameWidth + 3)
  // A column of a few letters would be harder to read than lines that are too long.
  const width = Math.max(30, columns - indent.length)
  return rows.map(([name, text]) => `  ${name.padEnd(nameWidth)} ${wrap(text, width).join(`\n${indent}`)}`)
}
