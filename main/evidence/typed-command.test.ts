import { describe, expect, it } from 'vitest'
import { tornTail } from './errors.ts'
import { nameButtonsInRemedies, pagesCommand, sameCommand, typedCommand } from './typed-command.ts'

const typed = (env: Record<string, string>, script: string, file = '/runs/a.jsonl'): string =>
  typedCommand(['recover', file], { env, argv: ['/usr/bin/node', script], cwd: '/lab' })

describe('typedCommand', () => {
  it.each([
    [{ npm_command: 'run-script' }, '/lab/bin/rag-ladder.mjs', 'npm run rag-ladder -- recover /runs/a.jsonl'],
    [{ npm_command: 'start' }, '/lab/main/engine/index.ts', 'npm run rag-ladder -- recover /runs/a.jsonl'],
    [{ npm_command: 'exec' }, '/lab/node_modules/.bin/rag-ladder', 'npx rag-ladder recover /runs/a.jsonl'],
    [{}, '/lab/bin/rag-ladder.mjs', 'node bin/rag-ladder.mjs recover /runs/a.jsonl'],
    [{}, '/usr/local/bin/rag-ladder', 'rag-ladder recover /runs/a.jsonl'],
  ])('%j, started by %s', (env, script, expected) => {
    expect(typed(env as Record<string, string>, script)).toBe(expected)
  })

  it('quotes what a shell would change', () => {
    expect(typed({}, 'rag-ladder', "/my runs/it's.jsonl")).toBe("rag-ladder recover '/my runs/it'\\''s.jsonl'")
  })
})

it.each([
  [{ npm_command: 'run' }, 'npm start'],
  [{ npm_command: 'run-script' }, 'npm start'],
  [{ npm_command: 'exec' }, 'npx rag-ladder serve'],
  [{}, 'node bin/rag-ladder.mjs serve'],
])('with %j the pages are opened by %s', (env, expected) => {
  const argv = ['/usr/bin/node', '/lab/bin/rag-ladder.mjs']
  expect(pagesCommand({ env, argv, cwd: '/lab' })).toBe(expected)
})

it('sameCommand repeats the words of this process, with options added and others left out', () => {
  const argv = [
    '/usr/bin/node',
    '/lab/bin/rag-ladder.mjs',
    'ladder',
    '--cold-reset',
    '--project',
    '/my runs',
    '--no-publish',
  ]
  expect(sameCommand(['--run-id', 'a', '--no-publish'], ['--cold-reset'], { env: {}, argv, cwd: '/lab' })).toBe(
    "node bin/rag-ladder.mjs ladder --project '/my runs' --run-id a --no-publish",
  )
})

it('remedyFor names commands until the process states that its messages are read in the panel, then buttons', () => {
  const torn = (): string => tornTail('/runs/a.jsonl', 10, 5).remedy
  expect(torn()).toContain('recover /runs/a.jsonl')
  nameButtonsInRemedies()
  try {
    expect(torn()).toBe(
      'every finished row stays; "Move torn bytes" puts the unfinished bytes into /runs/a.jsonl.torn-<time>',
    )
  } finally {
    nameButtonsInRemedies(false)
  }
})
