import { hash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OwnApproach, type ProgramApproach } from '../../contract/manifests/own-approaches.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import type { OwnCaller } from './own-reply.ts'
import { openProgramCaller } from './program-caller.ts'

let folder: string
let open: OwnCaller[] = []
beforeEach(async () => {
  folder = await temporaryFolder('own-program')
})
afterEach(async () => {
  await Promise.all(open.map((caller) => caller.close()))
  open = []
})

/** A program whose lines are handled by `code`, which has `message`, `say(object)` and `count`, the lines of this life. */
async function program(code: string, more: object = {}, place: object = {}): Promise<OwnCaller> {
  const file = join(folder, `program-${open.length}.mjs`)
  await writeFile(
    file,
    `import { createInterface } from 'node:readline'
let count = 0
const say = (value) => process.stdout.write(JSON.stringify(value) + '\\n')
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  count += 1;
  ${code}
}`,
  )
  const approach = OwnApproach.parse({ version: 1, kind: 'command', command: ['node', file], contexts: false, ...more })
  const caller = openProgramCaller(approach as ProgramApproach, {
    folder,
    env: { ...process.env, SECRET_API_KEY: 'canary', PASSED_API_KEY: 'passed' },
    logFile: join(folder, 'log.txt'),
    ...place,
  })
  open.push(caller)
  return caller
}
const ask = (caller: OwnCaller, question = 'q', signal?: AbortSignal) =>
  caller.ask({ question, budget: null, corpus: null, signal })

describe('a program', () => {
  it('answers many questions in one life and in any order', async () => {
    const caller = await program(
      `(globalThis.kept ??= []).push(message.id)
       if (message.question === 'last') for (const [at, id] of kept.reverse().entries()) say({ id, answer: 'answer ' + at })`,
      { concurrency: 3 },
    )
    const answers = await Promise.all(['first', 'second', 'last'].map((question) => ask(caller, question)))
    expect(answers.map(({ answer }) => answer)).toEqual(['answer 2', 'answer 1', 'answer 0'])
  })

  it('has its reasoning taken out of its answers, and fails where nothing is left', async () => {
    const caller = await program(`say({ id: message.id, answer: message.question })`)
    expect(await ask(caller, 'Sky?</think>Blue.')).toMatchObject({ answer: 'Blue.' })
    await expect(ask(caller, '<think>It goes on')).rejects.toThrow('the answering model returned no text')
  })

  it('gets one question at a time unless its file allows more', async () => {
    const caller = await program(`say({ id: message.id, answer: String(count) })`)
    const answers = await Promise.all(['a', 'b', 'c'].map((question) => ask(caller, question)))
    expect(answers.map(({ answer }) => answer)).toEqual(['1', '2', '3'])
  })

  it('fails one question when it dies, and is started again for the next', async () => {
    const caller = await program(
      `if (message.question === 'die') { process.stderr.write('out of memory\\n', () => process.exit(7)) } else say({ id: message.id, answer: 'life of ' + count })`,
    )
    expect((await ask(caller)).answer).toBe('life of 1')
    await expect(ask(caller, 'die')).rejects.toThrow(/the program ended \(exit code 7\); it last wrote: out of memory/)
    expect((await ask(caller)).answer).toBe('life of 1')
    expect(await readFile(join(folder, 'log.txt'), 'utf8')).toContain('out of memory')
  })

  it('that cannot be started, or never answers, fails each question', async () => {
    const caller = await program(`process.exit(1)`)
    for (let life = 0; life < 2; life += 1) await expect(ask(caller)).rejects.toThrow(/the program ended/)
    const missing = await program('', { command: ['no-such-program-here'] })
    await expect(ask(missing)).rejects.toThrow(/the program cannot be started/)
  })

  it('is ended when it hangs, and the next question gets a new life', async () => {
    const caller = await program(`if (message.question !== 'hang') say({ id: message.id, answer: String(count) })`, {
      timeout_s: 8,
    })
    expect((await ask(caller)).answer).toBe('1')
    await expect(ask(caller, 'hang')).rejects.toMatchObject({ kind: 'timeout' })
    expect((await ask(caller)).answer).toBe('1')
  }, 60_000)

  it('cannot answer for another question, with a lie about its id or with garbage', async () => {
    const caller = await program(
      `say({ id: 'another', answer: 'lie' }); process.stdout.write('loading…\\n{"id":\\n42\\n'); say({ id: message.id, answer: 'true' }); say({ id: message.id, answer: 'twice' })`,
    )
    expect([(await ask(caller)).answer, (await ask(caller)).answer]).toEqual(['true', 'true'])
    expect(await readFile(join(folder, 'log.txt'), 'utf8')).toContain('[a line that answers no question] loading…')
  })

  it('is ended when it floods, by one line or by many', async () => {
    const long = await program(`process.stdout.write('x'.repeat(100_000))`, {}, { lineLimit: 50_000 })
    await expect(ask(long)).rejects.toThrow(/a line of more than 50000 characters/)
    const many = await program(`process.stdout.write('noise\\n'.repeat(5000))`)
    await expect(ask(many)).rejects.toThrow(/more than 1000 lines that answer no question/)
  })

  it('reports its own failures and answers of another form by their field', async () => {
    const caller = await program(`say({ id: message.id, ...JSON.parse(message.question) })`, { contexts: true })
    const failures: [object, RegExp][] = [
      [{ error: 'no index' }, /the program reports: no index/],
      [{ answer: 'a', contexts: [{ body: 'p' }] }, /another form at contexts\.0\.text/],
      [{ answer: ' ', contexts: [] }, /answer is empty/],
      [{ answer: 'a', contexts: [{ text: ' ' }, { text: '' }] }, /passages have no text/],
      [
        { answer: 'a', contexts: [], usage: { prompt_tokens: 2 ** 53 - 1, completion_tokens: 1 } },
        /another form at usage\.prompt_tokens/,
      ],
      [{ answer: 'a' }, /has no contexts: write a list/],
    ]
    for (const [line, message] of failures) await expect(ask(caller, JSON.stringify(line))).rejects.toThrow(message)
    const whole = {
      answer: 'a',
      contexts: [{ text: 'p', document: 'd.md', score: 0.5 }, { text: '\n' }],
      usage: { prompt_tokens: 1, completion_tokens: 2 },
    }
    expect(await ask(caller, JSON.stringify(whole))).toEqual({
      answer: 'a',
      contexts: [{ text: 'p', title: 'd.md', document: 'd.md', score: 0.5 }],
      usage: { prompt: 1, completion: 2 },
    })
  })

  it('gets the documents once in each life, before the first question', async () => {
    const caller = await program(
      `if (message.op === 'ingest') { globalThis.held = message.documents.map(({ id }) => id).join() + message.corpus_digest; say({ id: message.id }) }
       else if (message.question === 'die') process.exit(1)
       else say({ id: message.id, answer: held + ' ' + count })`,
      { ingest: true },
    )
    const corpus = { digest: '#1', documents: () => Promise.resolve([{ id: 'a', title: 'A', text: 't' }]) }
    const withCorpus = (question: string) => caller.ask({ question, budget: null, corpus })
    expect([(await withCorpus('q')).answer, (await withCorpus('q')).answer]).toEqual(['a#1 2', 'a#1 3'])
    await expect(withCorpus('die')).rejects.toThrow(/ended/)
    expect((await withCorpus('q')).answer).toBe('a#1 2')
  })

  it('is not started from another file than the one that rows name', async () => {
    const file = join(folder, 'program-0.mjs')
    const code = `if (message.question === 'die') process.exit(1); else say({ id: message.id, answer: 'first' })`
    await (await program(code)).close()
    const kept = await readFile(file, 'utf8')
    const caller = await program(
      code,
      { command: ['node', file] },
      { program: { file: 'program-0.mjs', sha256: hash('sha256', kept) } },
    )
    expect((await ask(caller)).answer).toBe('first')
    await writeFile(file, kept.replace('first', 'second'))
    // What runs is still the old one; only its next life would be another.
    expect((await ask(caller)).answer).toBe('first')
    await expect(ask(caller, 'die')).rejects.toThrow(/ended/)
    await expect(ask(caller)).rejects.toThrow(/program-0\.mjs has changed since the run began/)
    await rm(file)
    await expect(ask(caller)).rejects.toThrow(/program-0\.mjs cannot be read/)
  })

  it('gets only the variables that it needs and those that its file names', async () => {
    const caller = await program(
      `say({ id: message.id, answer: [process.env.SECRET_API_KEY, process.env.PASSED_API_KEY, typeof process.env.PATH].join() })`,
      { env: ['PASSED_API_KEY'] },
    )
    expect((await ask(caller)).answer).toBe(',passed,string')
    expect(
      OwnApproach.safeParse({ version: 1, kind: 'command', command: ['x'], env: ['GATEWAY_MASTER_KEY'] }).success,
    ).toBe(false)
  })

  it('is left when the caller gives up', async () => {
    const caller = await program(`if (message.question === 'q') say({ id: message.id, answer: 'a' })`)
    const stop = new AbortController()
    const asked = ask(caller, 'wait', stop.signal)
    stop.abort(new Error('stopped'))
    await expect(asked).rejects.toThrow('stopped')
    expect((await ask(caller)).answer).toBe('a')
  })
})
