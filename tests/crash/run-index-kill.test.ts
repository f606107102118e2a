import { spawn } from 'node:child_process'
import { appendFile, rm, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { openForReading } from '../../main/run-index/open-database.ts'
import { contentOf, indexFolders, openIndex } from '../helpers/run-index.ts'
import { randomFrom } from '../helpers/random.ts'
import { timesOf } from '../helpers/repetitions.ts'
import { fastLine, syntheticRows, type SyntheticRun } from '../helpers/synthetic-evidence.ts'

const ROUNDS = timesOf('writers of the run index are killed')

const appliedLines = (db: Database.Database): number =>
  db.prepare<[], number>('SELECT coalesce(sum(applied_lines), 0) FROM artifacts').pluck().get()!

/** Lets an index writer work and kills it some time after it has applied its first rows. */
async function killMidway(
  file: string,
  folder: string,
  afterMs: number,
): Promise<{ signal: string | null; output: string }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'run-index-writer.ts'), file, folder])
  let output = ''
  const ready = new Promise<void>((resolve) => {
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString()
      resolve()
    })
  })
  child.stderr.on('data', (piece: Buffer) => (output += piece.toString()))
  const ended = new Promise<string | null>((resolve) => child.once('close', (_code, signal) => resolve(signal)))
  await Promise.race([ready, ended])
  const reader = openForReading(file)
  const before = appliedLines(reader)
  while (child.exitCode === null && appliedLines(reader) === before && !output.includes('applied')) await delay(1)
  reader.close()
  await delay(afterMs)
  child.kill('SIGKILL')
  return { signal: await ended, output }
}

const RUN: SyntheticRun = {
  runId: 'kill-2026',
  datasetId: 'alpha',
  questions: 2700,
  aliases: 5,
  seed: 3,
  answerWords: [5, 60],
}

/** A new index every so often: each round checks all of it, which would take most of the time when it has grown. */
const ROUNDS_PER_INDEX = 4

/** Kills the writer of one index again and again, then compares the index with a fresh one. Returns how many kills met the writer midway. */
async function killWriters(lines: readonly Buffer[], random: () => number, rounds: number): Promise<number> {
  const folders = await indexFolders()
  const evidence = join(folders.results, 'kill-2026-alpha-evidence.jsonl')
  let given = 0
  let midway = 0
  for (let round = 0; round < rounds; round += 1) {
    // Several blocks of rows and a part of one more, as a runner that is writing leaves it for a moment.
    const next = given + 2500 + Math.floor(random() * 800)
    const torn = lines[next]!.subarray(0, Math.floor(random() * lines[next]!.length))
    await appendFile(evidence, Buffer.concat([...lines.slice(given, next), torn]))
    given = next
    const { signal, output } = await killMidway(folders.file, folders.results, random() * 60)
    expect(signal, output).toBe('SIGKILL')

    const index = openIndex(folders)
    const found = appliedLines(index.db)
    expect(index.db.prepare('SELECT count(*) FROM cells').pluck().get()).toBe(found)
    if (found > 0 && found < given) midway += 1
    const { problems } = await index.verify()
    expect(problems.filter(({ code }) => code !== 'outdated')).toEqual([])
    index.close()
    const { size } = await stat(evidence)
    await truncate(evidence, size - torn.length)
  }

  const index = openIndex(folders)
  await index.sync()
  expect(await index.verify()).toMatchObject({ ok: true, rows: given })
  const repaired = contentOf(index.db)
  index.close()
  for (const ending of ['', '-wal', '-shm']) await rm(`${folders.file}${ending}`, { force: true })
  const fresh = openIndex(folders)
  await fresh.sync()
  expect(repaired).toEqual(contentOf(fresh.db))
  fresh.close()
  return midway
}

it('holds what its file had at some complete row, however often its writer is killed', async () => {
  const random = randomFrom(11)
  const lines = [...syntheticRows(RUN)].map(fastLine)
  let midway = 0
  for (let left = ROUNDS; left > 0; left -= ROUNDS_PER_INDEX)
    midway += await killWriters(lines, random, Math.min(left, ROUNDS_PER_INDEX))
  // Without such kills the rounds would show nothing.
  expect(midway).toBeGreaterThan(0)
})
