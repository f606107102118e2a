import { describe, expect, it } from 'vitest'
import { InputError } from '../manifests/runner-inputs.ts'
import { commandHelp, numberOption, parseCommandLine, type Command } from './command.ts'
import { COMMANDS } from './commands.ts'

const commands = await Promise.all(Object.values(COMMANDS).map(({ load }) => load()))

const command: Command = {
  name: 'count',
  options: {
    cells: { type: 'number', hint: 'N', kind: 'whole', from: 1, to: 32, example: 4, description: 'cells in flight' },
    share: { type: 'number', hint: 'N', kind: 'decimal', above: 0, to: 1, example: 0.5, description: 'a share' },
    seed: { type: 'number', hint: 'N', kind: 'whole', from: 0, example: 7, description: 'a seed', default: 3 },
  },
  run: async () => 0,
}

const problemsOf = (of: Command, args: string[]): readonly string[] => {
  try {
    return parseCommandLine(of, args).problems
  } catch (error) {
    if (error instanceof InputError) return error.problems
    throw error
  }
}

const NUMBERS = commands.flatMap((each) =>
  Object.entries(each.options).flatMap(([name, option]) =>
    option.type === 'number' ? [[`${each.name} --${name}`, each, name, option] as const] : [],
  ),
)

describe('parseCommandLine', () => {
  it.each(['1e1', '0x10', ' 5', '5 ', '5.0', '1_0', '+5', 'many', 'Infinity', '99999999999999999999'])(
    'refuses %j where a whole number is expected',
    (text) => {
      expect(problemsOf(command, [`--cells=${text}`])).toEqual([
        `invalid value for --cells: expected a whole number from 1 to 32, got ${text}; example: --cells 4`,
      ])
    },
  )

  it('names every number that is out of range, with the range and an example', () => {
    expect(problemsOf(command, ['--cells', '33', '--share', '0', '--seed=-1'])).toEqual([
      'invalid value for --cells: expected a whole number from 1 to 32, got 33; example: --cells 4',
      'invalid value for --share: expected a number above 0 and at most 1, got 0; example: --share 0.5',
      'invalid value for --seed: expected a whole number from 0, got -1; example: --seed 7',
    ])
  })

  it('gives numbers as numbers, the default where an option was not given', () => {
    const { values } = parseCommandLine(command, ['--cells', '32', '--share', '0.25'])
    expect(values).toEqual({ cells: 32, share: 0.25, seed: 3 })
    expect(numberOption({ values }, 'cells')).toBe(32)
    expect(numberOption({ values }, 'none')).toBeNull()
  })

  it.each(
    commands.flatMap((each) =>
      Object.entries(each.options).flatMap(([name, { type }]) =>
        type === 'boolean' ? [] : [[`${each.name} --${name}`, each, name] as const],
      ),
    ),
  )('%s refuses an empty value', (_name, of, name) => {
    for (const empty of ['', '  '])
      expect(problemsOf(of, [`--${name}=${empty}`])).toEqual([
        `--${name} is empty: give it a value, or leave the option out`,
      ])
  })

  it('says how to write a value that begins with a dash', () => {
    for (const args of [
      ['--cells', '-1'],
      ['--cells', '--seed', '3'],
    ])
      expect(problemsOf(command, args)).toEqual([
        '--cells has no value; one that begins with a dash is written --cells=-…. See: rag-ladder count --help',
      ])
  })

  it('refuses a list without a name in it', () => {
    expect(
      problemsOf(
        commands.find(({ name }) => name === 'ladder')!,
        ['--models', ' ,, '],
      ),
    ).toEqual(['--models is empty: give it a value, or leave the option out'])
  })

  it('help shows the range of a number', () => {
    expect(commandHelp(command, 'Counts.', 100)).toContain('cells in flight (from 1 to 32)')
    expect(commandHelp(command, 'Counts.', 100)).toContain('a seed (from 0; default: 3)')
  })
})

describe('options of the commands', () => {
  it.each(NUMBERS)('%s refuses 1e1 and takes its own example', (_, of, name, { example }) => {
    expect(problemsOf(of, [`--${name}`, '1e1'])).toHaveLength(1)
    expect(problemsOf(of, [`--${name}`, String(example)])).toEqual([])
  })

  const collecting = commands.filter(({ collectsProblems }) => collectsProblems === true)

  it.each(collecting.map((each) => [each.name, each] as const))(
    '%s does nothing but report a malformed number, together with its other problems',
    async (_, each) => {
      const problem = 'invalid value for --number: expected a whole number'
      const out = { write: () => true } as unknown as NodeJS.WriteStream
      const given = { positionals: [], problems: [problem], env: {}, stdout: out, stderr: out }
      const values = each.name === 'platform' ? { dataset: 'smoke' } : { manifest: 'manifests/evaluation.yaml' }
      const positionals = { judge: ['run'], export: ['litellm'] }[each.name] ?? []
      const error = await each.run({ ...given, positionals, values }).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(InputError)
      expect((error as InputError).problems).toContain(problem)
    },
  )

  it.each(commands.map(({ name, verbs = [] }) => [name, verbs.map(([usage]) => usage.split(' ')[0]!)] as const))(
    '%s has the name that the overview gives it, and its summary lists its verbs',
    (name, verbs) => {
      const { summary } = COMMANDS[name]!
      if (verbs.length > 0 && name !== 'submit')
        expect(summary.slice(summary.indexOf(': ') + 2, -1).split(', ')).toEqual(verbs)
    },
  )

  it('that take a number all say so', () => {
    const texts = commands.flatMap(({ name, options }) =>
      Object.entries(options).flatMap(([option, { type, hint = '' }]) =>
        type === 'string' && /^(N|PORT|SECONDS|AMOUNT)$/.test(hint) ? [`${name} --${option}`] : [],
      ),
    )
    expect(texts).toEqual([])
    expect(NUMBERS.length).toBeGreaterThan(20)
  })
})
