import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openKeptFile } from './kept-file.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'

it('a kept text whose bytes were changed from outside counts as missing', async () => {
  const file = join(await temporaryFolder('kept-file'), 'texts')
  const kept = openKeptFile<{ text: string }>(file, 'texts', 'parsed')
  kept.put('first', { text: 'founded in 1904' })
  kept.put('second', { text: 'closed in 1950' })
  kept.close()
  const database = new Database(file)
  database.exec(`UPDATE texts SET parsed = replace(parsed, '1904', '1994')`)
  database.close()
  const again = openKeptFile<{ text: string }>(file, 'texts', 'parsed')
  expect([again.get('first'), again.get('second')]).toEqual([null, { text: 'closed in 1950' }])
  again.close()
})
