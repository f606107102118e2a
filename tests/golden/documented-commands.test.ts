import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../main/cli/command.ts'
import { COMMANDS } from '../../main/cli/commands.ts'
import { documentedCommands } from '../helpers/documented-commands.ts'
import { PROJECT_ROOT } from '../helpers/project-root.ts'

const documents = globSync(['README.md', 'CONTRIBUTING.md', 'docs/*.md', 'docs/guide/*.md'], { cwd: PROJECT_ROOT })
const commandsOf = async (file: string) => documentedCommands(await readFile(join(PROJECT_ROOT, file), 'utf8'))

/** Loaded before the first test: on a busy machine that takes longer than a test may. */
const commands = new Map(
  await Promise.all(Object.entries(COMMANDS).map(async ([name, { load }]) => [name, await load()] as const)),
)

/** Stands for a number that the reader chooses. */
const withNumbers = (args: readonly string[]): string[] => args.map((arg) => (arg === 'N' ? '2' : arg))

/** The reason why the program would refuse the command; null when it parses. */
function problemOf(args: readonly string[]): string | null {
  const [name = '', ...rest] = args
  if (name === 'help' || rest.includes('--help')) return null
  const command = commands.get(name)
  if (command === undefined) return `unknown command ${name}`
  try {
    const { positionals, problems } = parseCommandLine(command, withNumbers(rest))
    if (problems.length > 0) return problems.join('; ')
    const verbs = command.verbs?.flatMap(([usage]) => usage.split(/[^a-z-]+/))
    const verb = positionals[0]
    return verbs === undefined || verb === undefined || verbs.includes(verb) ? null : `unknown verb ${verb}`
  } catch (error) {
    return (error as Error).message
  }
}

describe('the commands that documents show', () => {
  it.each(documents)(
    '%s shows only commands that the program takes, with options and verbs that exist',
    async (file) => {
      const problems: string[] = []
      for (const { line, args } of await commandsOf(file)) {
        const problem = problemOf(args)
        if (problem !== null) problems.push(`${file}:${line}: ${args.join(' ')}: ${problem}`)
      }
      expect(problems).toEqual([])
    },
  )

  it('are found: more than eighty in all documents', async () => {
    const all = await Promise.all(documents.map(commandsOf))
    expect(all.flat().length).toBeGreaterThan(80)
  })

  it('are refused where option, verb, command or number do not exist', () => {
    const wrong = ['ladder --datsets smoke', 'models tset x', 'lader', 'ladder --concurrency many']
    for (const text of wrong) expect(problemOf(text.split(' '))).not.toBeNull()
  })
})

it('reads blocks with continued lines, spans, quotes, comments and redirections as a shell does', () => {
  const text = [
    'Use `npm run ladder -- --dataset "my set"` or `npm test`.',
    '```sh',
    'npx rag-ladder plan \\',
    "  --run-id 'a b'   # a comment",
    'A=1 npm run -s rag-ladder -- report --run-id r > x.html',
    '```',
  ].join('\n')
  expect(documentedCommands(text)).toEqual([
    { line: 1, args: ['ladder', '--no-cold-reset', '--no-publish', '--dataset', 'my set'] },
    { line: 3, args: ['plan', '--run-id', 'a b'] },
    { line: 5, args: ['report', '--run-id', 'r'], to: 'x.html' },
  ])
})
