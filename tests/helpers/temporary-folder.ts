import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/**
 * A new folder that is removed at the end of the test. Call it in a test or in `beforeEach`. A hook at the top of a helper would not do: test
 * files share their modules, so it would be registered in the first file only.
 */
export async function temporaryFolder(name = 'test'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `rag-ladder-${name}-`))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}
