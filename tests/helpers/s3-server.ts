import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import type { S3Settings } from '../../providers/platform/specified/storage/storage-settings.ts'

/** The package has no types of its own. */
interface S3rver {
  run(): Promise<{ port: number }>
  close(): Promise<void>
}
const Server = createRequire(import.meta.url)('@20minutes/s3rver') as new (options: {
  address: string
  port: number
  directory: string
  silent: boolean
  configureBuckets: { name: string; configs: string[] }[]
}) => S3rver

export interface S3Server {
  settings: S3Settings
  /** Keys of everything that it stores. */
  keys(): Promise<string[]>
  close(): Promise<void>
}

/** Keys that the server knows; it refuses requests that others signed. */
const KEY = 'S3RVER'
/** States how the server names the file of an object. */
const OBJECT = '._S3rver_object'

/** A small S3 server on 127.0.0.1 and a free port, with one bucket, its objects in `directory`. It checks signatures. */
export async function startS3Server(directory: string): Promise<S3Server> {
  const server = new Server({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    configureBuckets: [{ name: 'artifacts', configs: [] }],
  })
  const { port } = await server.run()
  const settings: S3Settings = {
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'artifacts',
    region: 'us-east-1',
    accessKeyId: KEY,
    secretAccessKey: KEY,
    forcePathStyle: true,
  }
  const bucket = join(directory, settings.bucket)
  return {
    settings,
    async keys() {
      const found = await readdir(bucket, { recursive: true, withFileTypes: true })
      return found
        .filter((each) => each.name.endsWith(OBJECT))
        .map((each) => relative(bucket, join(each.parentPath, each.name)).slice(0, -OBJECT.length))
    },
    close: async () => server.close(),
  }
}
