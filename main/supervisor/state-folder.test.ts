import { chmod, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { openPlatformSecrets } from './platform-secrets.ts'
import { openStateFolder } from './state-folder.ts'

let root: string
let before: number
beforeEach(async () => {
  before = process.umask(0)
  root = await temporaryFolder('state-folder')
})
afterEach(async () => {
  process.umask(before)
})

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

describe.skipIf(process.platform === 'win32')('openStateFolder', () => {
  it('creates a folder that only its owner can enter, whatever the umask', async () => {
    await openStateFolder(join(root, '.rag-ladder'))
    expect(await modeOf(join(root, '.rag-ladder'))).toBe(0o700)
  })

  it('closes a folder that an earlier version left open to everyone', async () => {
    const folder = join(root, '.rag-ladder')
    await mkdir(folder)
    await chmod(folder, 0o777)
    await openStateFolder(folder)
    expect(await modeOf(folder)).toBe(0o700)
  })

  it('is applied before the first secrets are written', async () => {
    await openPlatformSecrets(join(root, '.rag-ladder', 'secrets.json'))
    expect(await modeOf(join(root, '.rag-ladder'))).toBe(0o700)
  })
})
