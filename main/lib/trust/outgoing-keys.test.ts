import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { keepFingerprints } from './key-fingerprints.ts'
import { outgoingKeys } from './outgoing-keys.ts'

const KEY = 'tk-9fQ2xL7vB4nR8sW1zK6mD3hJ'
let folder: string
beforeEach(async () => {
  folder = await temporaryFolder()
  vi.stubEnv('RAG_LADDER_USER_DIR', folder)
  onTestFinished(() => void vi.unstubAllEnvs())
  await keepFingerprints([KEY])
})

it('a known key is found in a part of an Office document, also where tags divide it', async () => {
  const file = join(folder, 'notes.docx')
  const keys = await outgoingKeys('x')
  for (const text of [`<w:t>${KEY}</w:t>`, `<w:t>${KEY.slice(0, 9)}</w:t><w:t>${KEY.slice(9)}</w:t>`]) {
    await writeFile(file, zipSync({ 'word/document.xml': strToU8(`<w:p>${text}</w:p>`) }))
    expect(await keys.inFile(file)).toMatch(
      /^word\/document\.xml in it holds a credential that was in use on this computer/,
    )
  }
  await writeFile(file, zipSync({ 'word/document.xml': strToU8('<w:p>no key</w:p>') }))
  expect(await keys.inFile(file)).toBeNull()
})

it('a damaged archive is searched as it is', async () => {
  const file = join(folder, 'notes.docx')
  await writeFile(file, `PK\u0003\u0004 then ${KEY}`)
  expect(await (await outgoingKeys('x')).inFile(file)).toMatch(/^line 1 holds a credential/)
})

it('a text in the form of a key names the command that lets it pass, and is nothing where it may pass', async () => {
  const example = 'AKIA2E7XQ4M9TB6ZL0WD'
  expect((await outgoingKeys('rag-ladder report --allow-key-examples')).inText(example)).toContain(
    'form of a key (AWS): if it is one, revoke it',
  )
  expect((await outgoingKeys(null)).inText(example)).toBeNull()
})
