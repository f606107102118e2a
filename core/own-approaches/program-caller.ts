// Asks a program, starts it again when it has ended, and gives it the documents of a corpus before the first question about them.
import { hash, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { reportsContexts, type ProgramApproach } from '../../contract/manifests/own-approaches.ts'
import { messageOf } from '../json.ts'
import { programEnvironment } from '../program-environment.ts'
import {
  answerOf,
  OwnApproachError,
  type OwnCaller,
  type OwnCorpus,
  type OwnQuestion,
  type OwnReply,
  type ProgramLine,
} from './own-reply.ts'
import { ProgramProcess, type ProgramPlace } from './program-process.ts'
import type { OwnApproachFile } from './read-approaches.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Documents of one line. */
const PART_CHARS = 4 * 1024 * 1024

/** `node` is the one of this program, whatever another one there is on the computer. */
const NODE: { file: string; env: Record<string, string> } = {
  file: process.execPath,
  env: process.versions['electron'] === undefined ? {} : { ELECTRON_RUN_AS_NODE: '1' },
}

export function openProgramCaller(
  approach: ProgramApproach,
  place: Omit<ProgramPlace, 'command' | 'env'> & { env: Environment; program?: OwnApproachFile['program'] },
): OwnCaller {
  const { concurrency, ingest, settings } = approach
  const timeoutMs = approach.timeout_s * 1000
  const passed = Object.fromEntries(
    approach.env.flatMap((name) => (place.env[name] === undefined ? [] : [[name, place.env[name]]])),
  )
  const env = {
    ...programEnvironment(place.env),
    PYTHONUNBUFFERED: '1',
    PYTHONIOENCODING: 'utf-8',
    ...NODE.env,
    ...passed,
  }
  const command = approach.command.map((part, at) => (at === 0 && part === 'node' ? NODE.file : part))
  const waiting: (() => void)[] = []
  let underWay = 0
  let isClosed = false
  let life: { process: ProgramProcess; ingested: string | null; ingesting: Promise<void> | null } | null = null

  function alive(): NonNullable<typeof life> {
    if (life !== null && !life.process.isOver) return life
    if (isClosed) throw new OwnApproachError('failed', 'the program is being stopped')
    refuseOther(place.folder, place.program ?? null)
    life = { process: new ProgramProcess({ ...place, command, env }), ingested: null, ingesting: null }
    return life
  }

  /** One line there and back. A program that is late is ended: what it would write later, or never, holds up the next question. */
  async function exchange(
    process: ProgramProcess,
    message: object,
    what: string,
    signal: AbortSignal | undefined,
  ): Promise<ProgramLine> {
    signal?.throwIfAborted()
    const id = randomUUID()
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      process.forget(id)
      late.reject(
        new OwnApproachError(
          'timeout',
          `${what} within ${approach.timeout_s} s; the program was ended and is started again for the next question`,
        ),
      )
      void process.stop('the program did not answer in time and was ended')
    }, timeoutMs)
    const cancel = (): void => {
      process.forget(id)
      late.reject(signal!.reason as Error)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      const line = await Promise.race([process.ask(id, message), late.promise])
      if (typeof line.error === 'string')
        throw new OwnApproachError('failed', `the program reports: ${line.error.slice(0, 300)}`)
      return line
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
    }
  }

  async function giveDocuments(process: ProgramProcess, corpus: OwnCorpus): Promise<void> {
    const parts: object[][] = [[]]
    let chars = 0
    for (const document of await corpus.documents()) {
      if (chars > PART_CHARS) {
        parts.push([])
        chars = 0
      }
      parts.at(-1)!.push(document)
      chars += document.text.length
    }
    for (const [at, documents] of parts.entries()) {
      const message = { op: 'ingest', documents, corpus_digest: corpus.digest, part: at + 1, parts: parts.length }
      await exchange(process, message, 'the program did not take the documents', undefined)
    }
  }

  async function answer({ question, budget, corpus, signal, ...trial }: OwnQuestion): Promise<OwnReply> {
    const current = alive()
    if (ingest && corpus !== null && current.ingested !== corpus.digest) {
      current.ingesting ??= giveDocuments(current.process, corpus).finally(() => (current.ingesting = null))
      await current.ingesting
      current.ingested = corpus.digest
    }
    const k = 'k' in approach ? { k: trial.k ?? approach.k } : {}
    const all = { ...settings, ...trial.settings }
    const asked = { op: 'answer', question, settings: all, ...k, ...(budget === null ? {} : { budget }) }
    return replyOf(await exchange(current.process, asked, 'the program did not answer', signal), approach)
  }

  return {
    async ask(question) {
      if (underWay >= concurrency) await new Promise<void>((resolve) => waiting.push(resolve))
      else underWay += 1
      try {
        return await answer(question)
      } finally {
        const next = waiting.shift()
        if (next === undefined) underWay -= 1
        else next()
      }
    },
    async close() {
      isClosed = true
      await life?.process.stop()
    },
  }
}

/** Rows name the program by its hash: one that was edited under a run is another program. */
function refuseOther(folder: string, program: OwnApproachFile['program']): void {
  if (program === null) return
  let bytes: Buffer
  try {
    bytes = readFileSync(resolve(folder, program.file))
  } catch (error) {
    throw new OwnApproachError('failed', `${program.file} cannot be read: ${messageOf(error)}`)
  }
  if (hash('sha256', bytes) !== program.sha256)
    throw new OwnApproachError(
      'failed',
      `${program.file} has changed since the run began, and rows name the program that answers: restore it, or start a new run`,
    )
}

function replyOf({ answer, contexts, usage }: ProgramLine, approach: ProgramApproach): OwnReply {
  if (approach.kind === 'command' && (answer ?? '').trim() === '')
    throw new OwnApproachError('failed', 'the program’s answer is empty')
  if (reportsContexts(approach) && !Array.isArray(contexts))
    throw new OwnApproachError(
      'failed',
      'the program’s answer has no contexts: write a list, empty where nothing was found, or contexts: false in its file where it reports none',
    )
  // A passage without text says nothing, as in the reply of a service.
  const passages = contexts?.filter(({ text }) => text.trim() !== '')
  if (passages?.length === 0 && contexts!.length > 0)
    throw new OwnApproachError('failed', 'the program’s passages have no text')
  return {
    ...(answer === null || answer === undefined ? { answer: null } : answerOf(answer)),
    contexts:
      passages?.map(({ text, title, document, score }) => ({
        text,
        title: title ?? document ?? 'passage',
        document: document ?? null,
        score: score ?? null,
      })) ?? null,
    usage:
      usage === null || usage === undefined
        ? null
        : { prompt: usage.prompt_tokens, completion: usage.completion_tokens },
  }
}
