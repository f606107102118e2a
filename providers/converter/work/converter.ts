import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withoutSecrets } from '../../kit/fork-worker.ts'
import { ConversionError } from '../model/conversion-error.ts'
import { OUT_OF_MEMORY_EXIT } from './protocol.ts'
import type { ConversionOrder, ConversionOutcome, WorkerAnswer } from './protocol.ts'

/** Runs conversions in processes of their own. */
export interface Converter {
  /** Throws `ConversionError`, or an error of ours. An abort kills the process that works on it. */
  convert(order: ConversionOrder, signal: AbortSignal): Promise<ConversionOutcome>
  /** Kills every process. */
  close(): void
}

export interface ConverterOptions {
  /** Memory that one working process may have. */
  maxMemoryBytes: number
  /** Lines that working processes print. */
  onNoise: (line: string) => void
}

/** A process that has grown this large is replaced after its conversion. */
const RECYCLE_BYTES_SHARE = 0.5
const HEAP_SHARE = 0.5
/** A file of its own ending beside this one: a build without TypeScript finds it as well. */
const ENTRY = fileURLToPath(new URL(`./worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url))

/** One process per conversion under way; an idle one is kept, as loading the libraries takes most of a small conversion's time. */
export function createConverter({ maxMemoryBytes, onNoise }: ConverterOptions): Converter {
  const all = new Set<ChildProcess>()
  const idle: ChildProcess[] = []
  let closed = false

  const start = (): ChildProcess => {
    const child = fork(ENTRY, [String(maxMemoryBytes)], {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${Math.round((maxMemoryBytes * HEAP_SHARE) / 1024 / 1024)}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // A group of its own: LibreOffice, which it may start, goes with it.
      detached: process.platform !== 'win32',
      env: { ...withoutSecrets(process.env), ...('electron' in process.versions ? { ELECTRON_RUN_AS_NODE: '1' } : {}) },
    })
    all.add(child)
    for (const output of [child.stdout!, child.stderr!])
      output.setEncoding('utf8').on('data', (text: string) => onNoise(text.trimEnd().slice(0, 2000)))
    child.once('exit', () => {
      all.delete(child)
      const at = idle.indexOf(child)
      if (at >= 0) idle.splice(at, 1)
    })
    return child
  }

  return {
    async convert(order, signal) {
      signal.throwIfAborted()
      if (closed) throw new Error('the converter is closed')
      const child = idle.pop() ?? start()
      const abort = (): void => killGroup(child)
      signal.addEventListener('abort', abort, { once: true })
      try {
        const answer = await ask(child, order)
        if (child.connected && answer.rssBytes < maxMemoryBytes * RECYCLE_BYTES_SHARE) idle.push(child)
        else killGroup(child)
        if (answer.ok) return answer.outcome
        if (answer.code === 'fault') throw new Error(answer.message)
        throw new ConversionError(answer.code, answer.message)
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
    close() {
      closed = true
      for (const child of all) killGroup(child)
    },
  }
}

type Answer = WorkerAnswer & { rssBytes: number }

function ask(child: ChildProcess, order: ConversionOrder): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: Answer): void => {
      child.off('exit', onExit)
      resolve(answer)
    }
    const onExit = (code: number | null, signal: string | null): void => {
      child.off('message', onMessage)
      reject(
        code === OUT_OF_MEMORY_EXIT || code === 134
          ? new ConversionError('too_large', 'the document needs more memory than a conversion may have')
          : new Error(`the converting process ended (${signal ?? `exit code ${code}`})`),
      )
    }
    child.once('message', onMessage)
    child.once('exit', onExit)
    child.send(order, (error) => {
      if (error !== null) onExit(child.exitCode, child.signalCode)
    })
  })
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}
