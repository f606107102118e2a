// A program that answers lines with lines. Whatever it does wrong ends at this file: too long a line, lines that mean nothing, no answer, an end.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay } from 'node:timers/promises'
import { isRecord, jsonIn, messageOf } from '../json.ts'
import { serviceText } from '../known-secrets.ts'
import { OwnApproachError, ProgramLine } from './own-reply.ts'

export interface ProgramPlace {
  command: readonly string[]
  /** The project folder. */
  folder: string
  env: Readonly<Record<string, string>>
  /** Gets what the program writes to stderr, and why it was ended. */
  logFile: string
  /** Most characters of one line. */
  lineLimit?: number
}

const LINE_LIMIT = 16 * 1024 * 1024
/** Lines that answer nothing which was asked, since the last one that did. */
const MOST_USELESS = 1000
const LOG_LIMIT = 5 * 1024 * 1024
const LAST_WORDS = 300
const STOP_MS = 5000

interface Pending {
  resolve: (line: ProgramLine) => void
  reject: (error: OwnApproachError) => void
}

/** One life of the program; after its end every question is refused with the reason. */
export class ProgramProcess {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #pending = new Map<string, Pending>()
  readonly #place: ProgramPlace
  readonly #gone: Promise<void>
  #ended: string | null = null
  #isClosed = false
  #useless = 0
  #logged = 0
  #lastWords = ''

  constructor(place: ProgramPlace) {
    this.#place = place
    const [file = '', ...args] = place.command
    // A group of its own, so that what it started itself ends with it.
    this.#child = spawn(file, args, {
      cwd: place.folder,
      env: { ...place.env },
      detached: process.platform !== 'win32',
      windowsHide: true,
    })
    const { stdin, stdout, stderr } = this.#child
    this.#gone = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#isClosed = true
        this.#end(`the program ended (${code === null ? String(signal) : `exit code ${code}`})`)
        resolve()
      })
      this.#child.once('error', (error) => {
        this.#end(`the program cannot be started: ${messageOf(error)}`)
        if (this.#child.pid === undefined) resolve()
      })
    })
    stdin.on('error', () => undefined)
    stderr.on('data', (bytes: Buffer) => this.#log(bytes.toString('utf8')))
    this.#readLines(stdout)
  }

  get isOver(): boolean {
    return this.#ended !== null
  }

  /** Sends a line and waits for the one with its id. */
  ask(id: string, message: object): Promise<ProgramLine> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) reject(new OwnApproachError('failed', this.#ended))
      else {
        this.#pending.set(id, { resolve, reject })
        this.#child.stdin.write(`${JSON.stringify({ ...message, id })}\n`)
      }
    })
  }

  /** A late answer to this id means nothing from here on. */
  forget(id: string): void {
    this.#pending.delete(id)
  }

  /** Ends it with everything that it started. */
  async stop(reason = 'the program was stopped'): Promise<void> {
    this.#end(reason)
    // What holds its pipes open in another group is not waited for.
    await Promise.race([this.#gone, delay(STOP_MS, undefined, { ref: false })])
  }

  #readLines(stdout: NodeJS.ReadableStream): void {
    const decoder = new StringDecoder('utf8')
    const limit = this.#place.lineLimit ?? LINE_LIMIT
    let parts: string[] = []
    let length = 0
    stdout.on('data', (bytes: Buffer) => {
      if (this.#ended !== null) return
      const lines = decoder.write(bytes).split('\n')
      for (const [at, piece] of lines.entries()) {
        parts.push(piece)
        length += piece.length
        if (length > limit) {
          this.#end(`the program wrote a line of more than ${limit} characters and was ended`)
          return
        }
        if (at === lines.length - 1) return
        const line = parts.join('')
        parts = []
        length = 0
        if (line.trim() !== '') this.#take(line)
      }
    })
  }

  #take(text: string): void {
    const json = jsonIn(text)
    const id = isRecord(json) && typeof json['id'] === 'string' ? json['id'] : null
    const pending = id === null ? undefined : this.#pending.get(id)
    if (pending === undefined) {
      this.#log(`[a line that answers no question] ${text.slice(0, LAST_WORDS)}\n`)
      this.#useless += 1
      if (this.#useless > MOST_USELESS)
        this.#end(`the program wrote more than ${MOST_USELESS} lines that answer no question and was ended`)
      return
    }
    this.#useless = 0
    this.#pending.delete(id!)
    const parsed = ProgramLine.safeParse(json)
    if (!parsed.success) {
      const field = parsed.error.issues[0]!.path.join('.')
      const form = '{"id","answer","contexts":[{"text"}]}'
      pending.reject(
        new OwnApproachError('failed', `the program's answer has another form at ${field}: expected ${form}`),
      )
      return
    }
    pending.resolve(parsed.data)
  }

  #log(text: string): void {
    this.#lastWords = (this.#lastWords + text).slice(-LAST_WORDS)
    if (this.#logged > LOG_LIMIT) return
    this.#logged += text.length
    try {
      appendFileSync(this.#place.logFile, text)
    } catch {
      // A log that cannot be written stops no run.
    }
  }

  #end(reason: string): void {
    if (this.#ended !== null) return
    const said = serviceText(this.#lastWords.trim().split('\n').slice(-3).join(' | '), LAST_WORDS)
    this.#ended = said === '' ? reason : `${reason}; it last wrote: ${said}`
    this.#log(`[${reason}]\n`)
    const { pid } = this.#child
    if (pid !== undefined && !this.#isClosed) endGroup(this.#child, pid)
    for (const { reject } of this.#pending.values()) reject(new OwnApproachError('failed', this.#ended))
    this.#pending.clear()
  }
}

function endGroup(child: ChildProcessWithoutNullStreams, pid: number): void {
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in the meantime.
  }
}
