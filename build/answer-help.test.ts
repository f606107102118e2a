import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const run = promisify(execFile)

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** Scripts of our own that npm commands start, without the one that npm starts itself. */
const FILES = Object.entries(scripts)
  .filter(([name]) => name !== 'postinstall')
  .flatMap(([, command]) => command.match(/(?<=node )(?:build|tests)\/\S+\.ts/g) ?? [])

describe('a script of the project that is asked for help', () => {
  it.each([...new Set(FILES)])('prints one usage line and ends: %s', { timeout: 30_000 }, async (file) => {
    // A script without it would do its work here.
    expect(readFileSync(file, 'utf8')).toContain('answerHelp(')
    const { stdout } = await run(process.execPath, [file, '--help'], { timeout: 20_000 })
    expect(stdout).toMatch(/^Usage: npm [^\n]+\n$/)
  })
})
