import { fstatSync, statSync, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { systemCode } from '../errors.ts'
import { networkFileSystem } from '../locks/network-file-system.ts'

export interface FileState {
  sizeBytes: number
  /** Device and inode: differs when another file has the same name. */
  identity: string
}

/** An open file of lines. Its methods reject with the system's error. */
export interface LogFile {
  /** Bytes read into `into` at `start`; 0 at the end of the file. */
  read(into: Buffer, start: number, length: number, position: number): Promise<number>
  /** Appends at the end of the file. Resolves with the number of bytes written, possibly fewer than given. */
  write(bytes: Buffer): Promise<number>
  sync(): Promise<void>
  state(): FileState
  close(): Promise<void>
}

/** The file operations that the log rests on. Fault tests hand in a disk that fails. */
export interface FileOps {
  /** Opens for reading and appending; creates the file when it is missing. */
  openAppend(path: string): Promise<LogFile>
  openRead(path: string): Promise<LogFile>
  /** Creates a file that must not exist yet. */
  openNew(path: string): Promise<LogFile>
  /** Null when there is no such file. Never opens the file: closing it would drop the system's locks on it. */
  state(path: string): FileState | null
  /** Cuts the file and syncs it. */
  truncate(path: string, sizeBytes: number): Promise<void>
  /** Makes a new or removed name in the file's folder durable. */
  syncFolderOf(path: string): Promise<void>
  makeFolder(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  remove(path: string): Promise<void>
  /** Name of the network file system that holds the folder, null when it is a local one. */
  networkFileSystem(folder: string): Promise<string | null>
}

/** So few bytes go to the system's cache in less time than a thread takes to wake up; the sync, which waits for the disk, stays off the loop. */
const WRITE_AT_ONCE_BYTES = 256 * 1024

class NodeLogFile implements LogFile {
  readonly #handle: FileHandle
  constructor(handle: FileHandle) {
    this.#handle = handle
  }
  async read(into: Buffer, start: number, length: number, position: number): Promise<number> {
    return (await this.#handle.read(into, start, length, position)).bytesRead
  }
  async write(bytes: Buffer): Promise<number> {
    if (bytes.length <= WRITE_AT_ONCE_BYTES) return writeSync(this.#handle.fd, bytes)
    return (await this.#handle.write(bytes)).bytesWritten
  }
  sync(): Promise<void> {
    return this.#handle.datasync()
  }
  state(): FileState {
    return stateFrom(fstatSync(this.#handle.fd, { bigint: true }))
  }
  close(): Promise<void> {
    return this.#handle.close()
  }
}

const stateFrom = (info: { size: bigint; dev: bigint; ino: bigint }): FileState => ({
  sizeBytes: Number(info.size),
  identity: `${info.dev}:${info.ino}`,
})

/** The real disk. */
export const nodeFileOps: FileOps = {
  openAppend: async (path) => new NodeLogFile(await open(path, 'a+')),
  openRead: async (path) => new NodeLogFile(await open(path, 'r')),
  openNew: async (path) => new NodeLogFile(await open(path, 'ax+')),
  state(path) {
    const info = statSync(path, { bigint: true, throwIfNoEntry: false })
    return info === undefined ? null : stateFrom(info)
  },
  async truncate(path, sizeBytes) {
    const handle = await open(path, 'r+')
    try {
      await handle.truncate(sizeBytes)
      await handle.datasync()
    } finally {
      await handle.close()
    }
  },
  async syncFolderOf(path) {
    // Windows cannot open a folder, and NTFS journals its names by itself.
    if (process.platform === 'win32') return
    const handle = await open(dirname(path), 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  },
  async makeFolder(path) {
    await mkdir(path).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
    })
  },
  rename,
  // The retries are for Windows, where a file that another process has open cannot be removed.
  remove: (path) => rm(path, { force: true, maxRetries: 5, retryDelay: 20 }),
  networkFileSystem,
}
