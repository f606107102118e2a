// This file finds what this machine already has: services that listen on their usual port, and GGUF files in the folders where people keep them.
import { open, readdir, stat } from 'node:fs/promises'
import { homedir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { connectionKind, type ConnectionKind } from '../../../contract/manifests/model-connections.ts'
import type { FoundModels, ModelProbe } from '../../../contract/control/models.ts'
import { listServiceModels } from '../../lib/services/list-service-models.ts'

/** Services that people run beside the program, with how long one that listens may take to list its models. */
const LOCAL_KINDS: readonly ConnectionKind[] = ['ollama', 'lmstudio']
const FIND_TIMEOUT_MS = 1500
/** More files and deeper folders than people have. */
const MAX_FILES = 200
const MAX_DEPTH = 4

interface SearchPlaces {
  services: readonly { kind: ConnectionKind; address: string }[]
  folders: readonly string[]
}

/** The usual ports, and the folders where people keep model files: the project's, the program's and LM Studio's. */
export const usualPlaces = (root: string): SearchPlaces => ({
  services: LOCAL_KINDS.map((kind) => ({ kind, address: connectionKind(kind).usualAddress! })),
  folders: [join(root, 'models'), join(root, '.rag-ladder/models'), join(homedir(), '.lmstudio/models')],
})

/** Returns what this machine has. A port that does not answer and a folder that does not exist are left out. */
export async function findLocalModels({ services, folders }: SearchPlaces): Promise<FoundModels> {
  const asked = services.map(async ({ kind, address }) => {
    const test = { kind, baseUrl: address, key: null, keyName: null, timeoutMs: FIND_TIMEOUT_MS }
    const { probe, models } = await listServiceModels(test)
    return probe.status === 'passed' ? [{ kind, address, models }] : []
  })
  const searched = await Promise.all(
    folders.map(async (folder) => ({ folder, files: await modelFiles(folder, MAX_DEPTH) })),
  )
  const existing = searched.flatMap(({ folder, files }) => (files === null ? [] : [{ folder, files }]))
  const files = existing.flatMap((each) => each.files)
  return {
    services: (await Promise.all(asked)).flat(),
    files: files.slice(0, MAX_FILES).toSorted((a, b) => a.path.localeCompare(b.path)),
    folders: existing.map(({ folder }) => folder),
    memory_bytes: totalmem(),
  }
}

/** Null where there is no such folder. Links to folders are not followed. */
async function modelFiles(folder: string, depth: number): Promise<FoundModels['files'] | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null) return null
  const found = await Promise.all(
    entries.slice(0, 1000).map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth === 0 ? [] : ((await modelFiles(path, depth - 1)) ?? [])
      if (!/\.gguf$/i.test(entry.name)) return []
      const info = await stat(path).catch(() => null)
      return info?.isFile() === true ? [{ path, size_bytes: info.size }] : []
    }),
  )
  return found.flat()
}

const MIB = 1024 * 1024
const GGUF_MAGIC = 'GGUF'

/** Returns what can be known of a GGUF file without loading it: that it is one, and its size beside the machine's memory. */
export async function checkModelFile(root: string, path: string): Promise<ModelProbe> {
  const file = resolve(root, path)
  const nothing = { model: null, latency_ms: null, finding: null, error: null, remedy: null }
  const probe = { probe: 'file' as const, roles: [], ...nothing }
  const failed = (error: string, remedy: string): ModelProbe => ({ ...probe, status: 'failed', error, remedy })
  const info = await stat(file).catch((error: unknown) => error as NodeJS.ErrnoException)
  if (info instanceof Error)
    return info.code === 'ENOENT'
      ? failed(`there is no file ${file}`, 'Correct the path: it is one of the machine that the engine runs on.')
      : failed(`${file} cannot be read: ${info.code ?? info.message}`, 'Check the permissions of the file.')
  if (!info.isFile()) return failed(`${file} is not a file`, 'Name the .gguf file itself.')
  const start = await firstBytes(file).catch(() => null)
  if (start === null) return failed(`${file} cannot be read`, 'Check the permissions of the file.')
  if (start !== GGUF_MAGIC)
    return failed(`${file} is not a GGUF file`, 'Its first four bytes are not GGUF: fetch the file again.')
  const sizes = `${Math.ceil(info.size / MIB)} MiB of ${Math.floor(totalmem() / MIB)} MiB memory`
  return info.size > totalmem()
    ? failed(`the file is larger than the memory of this machine: ${sizes}`, 'Choose a smaller model or quantization.')
    : { ...probe, status: 'passed', finding: sizes }
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
