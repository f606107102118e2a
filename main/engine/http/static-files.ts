import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { filesBelow } from '../../lib/files/files-below.ts'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

interface StaticFile {
  mediaType: string
  sizeBytes: number
  /** The name holds a hash of the content: it never changes. */
  isImmutable: boolean
  open(): ReadStream
}

/** Sets how long a list of the folder is trusted when a name is not in it; a build replaces the names. */
const TRUST_MS = 1000

/**
 * The built pages. A request is looked up in a list of the folder and never becomes a path, so it cannot leave the folder; links to
 * elsewhere are not in the list.
 */
export class StaticFiles {
  readonly #folder: string
  #names = new Map<string, string>()
  #listedAt = -Infinity

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file of a URL path such as `/assets/app-1a2b3c4d.js`; null when there is none. */
  async find(path: string): Promise<StaticFile | null> {
    if (!this.#names.has(path) && performance.now() - this.#listedAt > TRUST_MS) await this.#list()
    const file = this.#names.get(path)
    const info = file === undefined ? null : await stat(file).catch(() => null)
    if (file === undefined || info === null) return null
    return {
      mediaType: MEDIA_TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream',
      sizeBytes: info.size,
      isImmutable: /-[\w-]{8,}\.\w+$/.test(file) && path.startsWith('/assets/'),
      open: () => createReadStream(file),
    }
  }

  async #list(): Promise<void> {
    const files = await filesBelow(this.#folder).catch(() => null)
    // A folder that is just being replaced: to remember it as empty would leave the window empty with it.
    if (files === null) return
    this.#names = new Map(
      files.map((file) => [`/${file.split('/').map(encodeURIComponent).join('/')}`, join(this.#folder, file)]),
    )
    this.#listedAt = performance.now()
  }
}
