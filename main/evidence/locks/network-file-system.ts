import { execFile } from 'node:child_process'
import { readFile, realpath } from 'node:fs/promises'
import { promisify } from 'node:util'

/** File systems whose locks may be advisory, emulated or unknown to other machines. */
const NETWORK_TYPES =
  /^(nfs\d?|cifs|smb\w*|afpfs|afs|ceph|lustre|glusterfs|gpfs|beegfs\w*|orangefs|ncpfs|webdav|davfs2?|ftp|vboxsf|vmhgfs|prl_fs|acfs|fuse\.(sshfs|glusterfs|ceph\w*|s3fs|rclone|goofys|gcsfuse|davfs2?|curlftpfs|vmhgfs-fuse|moosefs|lizardfs|seaweedfs|juicefs|osxfs|grpcfuse))$/i

export interface Mount {
  folder: string
  type: string
}

const unescapeOctal = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** Mounts of a Linux `/proc/self/mountinfo`; later ones cover earlier ones at the same folder. */
export function parseMountInfo(text: string): Mount[] {
  return text.split('\n').flatMap((line) => {
    const [head, tail] = line.split(' - ', 2)
    const folder = head?.split(' ')[4]
    const type = tail?.split(' ')[0]
    return folder !== undefined && type !== undefined ? [{ folder: unescapeOctal(folder), type }] : []
  })
}

/** Mounts as macOS' `mount` prints them: `//me@host/share on /Volumes/share (smbfs, nodev, …)`. */
export function parseMountCommand(text: string): Mount[] {
  return [...text.matchAll(/^.+? on (.+) \(([^,)]+)[^()]*\)$/gm)].map((match) => ({
    folder: match[1]!,
    type: match[2]!,
  }))
}

/** Type of the network file system under `folder`, null when its mount is local. `folder` is absolute and without links. */
export function networkTypeOf(mounts: readonly Mount[], folder: string): string | null {
  const inside = (mount: Mount) =>
    mount.folder === '/' || folder === mount.folder || folder.startsWith(`${mount.folder}/`)
  const deepest = mounts
    .filter(inside)
    .reduce<Mount | null>(
      (best, mount) => (best === null || mount.folder.length >= best.folder.length ? mount : best),
      null,
    )
  return deepest !== null && NETWORK_TYPES.test(deepest.type) ? deepest.type : null
}

/**
 * Name of the network file system that holds `folder`; null when it is local, or when the system does not report it. On Windows only
 * `\\server\share` paths are known, not drives that were mapped to one.
 */
export async function networkFileSystem(folder: string): Promise<string | null> {
  const real = await realpath(folder)
  if (process.platform === 'win32') return /^(\\\\|\/\/)(?![.?])/.test(real) ? 'network share' : null
  if (process.platform === 'darwin') {
    const { stdout } = await promisify(execFile)('/sbin/mount')
    return networkTypeOf(parseMountCommand(stdout), real)
  }
  return networkTypeOf(parseMountInfo(await readFile('/proc/self/mountinfo', 'utf8')), real)
}
