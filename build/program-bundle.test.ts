import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'
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
  expect(ENTRIES.toSorted()).toEqual([...new Set([...named, ...SERVICES, 'bin/rag-ladder.mjs'])].toSorted())
})
