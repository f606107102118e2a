import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { CatalogueFile } from '../../../contract/manifests/model-catalogue.ts'
import { moduleFile } from '../../lib/module-entry.ts'
import { fetchableModel, modelsFolder } from '../../manifests/models/model-catalogue.ts'
import type { ProcessLauncher } from '../../supervisor/process-launcher.ts'

const ENTRY = moduleFile('../../../providers/platform/models/fetch-file', import.meta.url)
const Message = z.union([
  z.object({ received: z.number() }),
  z.object({ done: z.literal(true) }),
  z.object({ failed: z.string() }),
])

/** A download that did not end with the file of the catalogue. */
export class ModelFetchError extends Error {
  override readonly name = 'ModelFetchError'
}

interface ModelFetch {
  root: string
  /** Of the catalogue. */
  id: string
  signal: AbortSignal
  onProgress: (receivedBytes: number, totalBytes: number) => void
}

/**
 * Downloads the files of a model of the catalogue into the folder of models; what has arrived of an interrupted one is continued. Returns their
 * paths. Throws `InputError` for a model without files or checksum, `ModelFetchError` for a download that fails.
 */
export async function fetchModel(
  launcher: ProcessLauncher,
  { root, id, signal, onProgress }: ModelFetch,
): Promise<string[]> {
  const { files } = await fetchableModel(root, id)
  const folder = modelsFolder(root)
  await mkdir(folder, { recursive: true })
  const total = files.reduce((sum, { size_bytes: size }) => sum + size, 0)
  const paths: string[] = []
  let before = 0
  for (const file of files) {
    const target = join(folder, file.path)
    const size = await stat(target).then(
      (info) => info.size,
      () => null,
    )
    // A finished file has its name only after its checksum was compared.
    if (size !== file.size_bytes)
      await fetchFile(launcher, file, target, signal, (received) => onProgress(before + received, total))
    before += file.size_bytes
    onProgress(before, total)
    paths.push(target)
  }
  return paths
}

async function fetchFile(
  launcher: ProcessLauncher,
  { url, size_bytes, sha256 }: CatalogueFile,
  target: string,
  signal: AbortSignal,
  onReceived: (bytes: number) => void,
): Promise<void> {
  const env = { RAG_LADDER_FETCH_FILE: JSON.stringify({ url, target, size_bytes, sha256 }) }
  const child = launcher.launch({ entry: ENTRY, env, withoutCredentials: true })
  const lines: string[] = []
  child.onLine((line) => lines.push(line))
  const cancel = (): void => child.requestStop()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    await new Promise<void>((done, fail) => {
      child.onMessage((value) => {
        const message = Message.safeParse(value).data
        if (message === undefined) return
        if ('received' in message) onReceived(message.received)
        else if ('done' in message) done()
        else fail(new ModelFetchError(`Cannot fetch ${url}: ${message.failed}`))
      })
      child.onExit((code) => {
        const why = signal.aborted
          ? 'cancelled; the next try continues it'
          : `its process ended with ${code}: ${lines.slice(-3).join(' ')}`
        fail(new ModelFetchError(`Cannot fetch ${url}: ${why}`))
      })
    })
  } finally {
    signal.removeEventListener('abort', cancel)
    child.requestStop()
  }
}
