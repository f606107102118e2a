import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'

const made: string[] = []
afterEach(() => Promise.all(made.splice(0).map((folder) => rm(folder, { recursive: true, force: true }))))

/** A new folder that is gone after the test. */
export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-judge-'))
  made.push(folder)
  return folder
}
