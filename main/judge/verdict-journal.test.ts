import { appendFile, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { journalPath, openVerdictJournal, type JournalEntry } from './verdict-journal.ts'

const entry = (digit: string): JournalEntry => ({
  key: digit.repeat(64),
  query_id: 'q-1',
  judge: 'qwen3:8b',
  verdict: { rotation: 0, order: ['a', 'b'], scores: { a: 5, b: 1 }, best: 'a', attempts: 1 },
})
const newFile = async (): Promise<string> => journalPath(join(await temporaryFolder(), 'run-1-locks-judgments.json'))

async function written(file: string, ...entries: JournalEntry[]): Promise<void> {
  const journal = await openVerdictJournal(file)
  await Promise.all(entries.map((one) => journal.append(one)))
  await journal.close()
}

describe('the journal of verdicts', () => {
  it('has a name beside the artifact', () => {
    expect(journalPath('/x/run-locks-judgments.json')).toBe('/x/run-locks-judgments.verdicts.jsonl')
  })

  it('keeps what was appended, over openings', async () => {
    const file = await newFile()
    await written(file, entry('1'), entry('2'))
    await written(file, entry('3'))
    const journal = await openVerdictJournal(file)
    expect([...journal.kept.keys()]).toEqual([entry('1'), entry('2'), entry('3')].map(({ key }) => key))
    expect(journal.kept.get(entry('2').key)).toEqual(entry('2').verdict)
    expect(journal.torn).toBeNull()
    await journal.close()
  })

  it('belongs to one process at a time', async () => {
    const file = await newFile()
    const journal = await openVerdictJournal(file)
    await expect(openVerdictJournal(file)).rejects.toMatchObject({ code: 'journal_in_use' })
    await journal.close()
    await (await openVerdictJournal(file)).close()
  })

  it('moves an unfinished last line aside, at every byte that it can end at', async () => {
    const file = await newFile()
    await written(file, entry('1'), entry('2'))
    const whole = await readFile(file)
    const firstLine = whole.indexOf(10) + 1
    for (let size = firstLine + 1; size < whole.length; size += 7) {
      await writeFile(file, whole.subarray(0, size))
      const journal = await openVerdictJournal(file)
      expect([...journal.kept.keys()]).toEqual([entry('1').key])
      expect(await readFile(journal.torn!)).toEqual(whole.subarray(firstLine, size))
      await journal.append(entry('3'))
      await journal.close()
      expect((await readFile(file)).subarray(0, firstLine)).toEqual(whole.subarray(0, firstLine))
    }
    expect((await readdir(join(file, '..'))).filter((name) => name.includes('.torn-')).length).toBeGreaterThan(10)
  })

  it.each([
    ['a flipped grade', (line: string) => line.replace('"a":5', '"a":4')],
    ['no checksum', (line: string) => line.replace(/,"checksum":"[0-9a-f]+"/, '')],
    ['another text', () => 'not a verdict'],
    ['an empty line', () => ''],
    ['another schema', () => JSON.stringify({ schema_version: 2 })],
  ])('refuses %s in its middle', async (_, damage) => {
    const file = await newFile()
    await written(file, entry('1'), entry('2'))
    const lines = (await readFile(file, 'utf8')).split('\n')
    await writeFile(file, [damage(lines[0]!), ...lines.slice(1)].join('\n'))
    await expect(openVerdictJournal(file)).rejects.toMatchObject({ code: 'journal_damaged', data: { line: 1 } })
    // The lock is free again.
    await expect(openVerdictJournal(file)).rejects.toMatchObject({ code: 'journal_damaged' })
  })

  it('ignores a lock file that a dead process left', async () => {
    const file = await newFile()
    await appendFile(`${file}.lock`, '')
    await (await openVerdictJournal(file)).close()
  })
})
