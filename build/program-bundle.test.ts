import { globSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { BUNDLE_FOLDER, currentBundle, sourceStamp, STAMP_FILE } from '../bin/current-bundle.ts'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'
import { temporaryFolder } from '../tests/helpers/temporary-folder.ts'
import { ENTRIES, ENTRY_CALL } from './program-bundle.ts'

/** Started by their names. */
const SERVICES = ['converter', 'converter-adapter', 'stt', 'tts'].map((name) => `providers/${name}/main.ts`)

it('the bundle of the program has every thread and child that a module starts', () => {
  const files = globSync('{main,providers}/**/*.ts', { cwd: PROJECT_ROOT }).filter((file) => !file.endsWith('.test.ts'))
  const started = files.flatMap((file) =>
    [...readFileSync(join(PROJECT_ROOT, file), 'utf8').matchAll(ENTRY_CALL)].map(
      ([, , , path]) => `${join(file, '..', path!).replaceAll('\\', '/')}.ts`,
    ),
  )
  const byName = 'providers/${name}/main.ts'
  expect(started).toContain(byName)
  const named = started.filter((file) => file !== byName)
  expect(ENTRIES.toSorted()).toEqual(
    [...new Set([...named, ...SERVICES, 'bin/rag-ladder.mjs', 'main/cli.ts', 'main/cli/main.ts'])].toSorted(),
  )
})

it('the program starts from its bundle only while every source is what the bundle was made of', async () => {
  const root = await temporaryFolder()
  const write = (file: string, text: string): void => {
    mkdirSync(join(root, file, '..'), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  for (const folder of ['bin', 'charts', 'contract', 'core', 'main/cli', 'providers']) write(`${folder}/one.ts`, 'a')
  for (const file of ['package.json', 'build/program-bundle.ts', 'node_modules/.package-lock.json']) write(file, '{}')
  expect(currentBundle(root)).toBeNull()
  const bundled = (): void => write(join(BUNDLE_FOLDER, STAMP_FILE), sourceStamp(root))
  const expectStale = (): void => {
    expect(currentBundle(root)).toBeNull()
    bundled()
    expect(currentBundle(root)).toBe(join(root, BUNDLE_FOLDER, 'main/cli.js'))
  }
  bundled()
  // An edit, an older file in its place, a new file, and other packages.
  write('main/cli/one.ts', 'longer')
  expectStale()
  utimesSync(join(root, 'main/cli/one.ts'), 1_000_000, 1_000_000)
  expectStale()
  write('providers/deep/two.ts', 'b')
  expectStale()
  write('node_modules/.package-lock.json', '{ "other": 1 }')
  expectStale()
})
