import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'

const REMOVAL = { recursive: true, force: true, maxRetries: 5 }

/**
 * A new folder that is removed at the end of the test. Call it in a test or in `beforeEach`. A hook at the top of a helper would not do: test
 * files share their modules, so it would be registered in the first file only.
 */
export async function temporaryFolder(name = 'test'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `rag-ladder-${name}-`))
  onTestFinished(() => rm(folder, REMOVAL))
  return folder
}

/** The path of a folder that all tests of a file share. Call it at the top of the file or of a `describe`: it exists in tests and hooks. */
export function suiteFolder(name: string): string {
  const folder = join(tmpdir(), `rag-ladder-${name}-${randomUUID()}`)
  beforeAll(() => mkdir(folder))
  afterAll(() => rm(folder, REMOVAL))
  return folder
}
