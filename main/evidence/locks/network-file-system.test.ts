import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { networkFileSystem, networkTypeOf, parseMountCommand, parseMountInfo } from './network-file-system.ts'

const MOUNT_INFO = `22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:40 / /home/me/nas rw shared:2 - nfs4 server:/export rw,vers=4.2
31 22 0:41 / /mnt/with\\040space rw - cifs //server/share rw
32 22 0:42 / /mnt/drive rw - fuse.sshfs me@host: rw
33 30 0:43 / /home/me/nas/scratch rw - tmpfs tmpfs rw
`

describe('networkTypeOf', () => {
  const mounts = parseMountInfo(MOUNT_INFO)

  it.each([
    ['/home/me/results', null],
    ['/home/me/nas', 'nfs4'],
    ['/home/me/nas/results/deep', 'nfs4'],
    ['/home/me/nas-local', null],
    ['/home/me/nas/scratch/x', null],
    ['/mnt/with space/x', 'cifs'],
    ['/mnt/drive', 'fuse.sshfs'],
  ])('names the file system of %s', (folder, type) => expect(networkTypeOf(mounts, folder)).toBe(type))

  it('reads what macOS prints', () => {
    const text = `/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
//me@nas._smb._tcp.local/Data on /Volumes/Data (1) (smbfs, nodev, nosuid, mounted by me)
`
    expect(networkTypeOf(parseMountCommand(text), '/Volumes/Data (1)/runs')).toBe('smbfs')
    expect(networkTypeOf(parseMountCommand(text), '/Users/me')).toBeNull()
  })

  it('takes this machine’s temporary folder for local', async () =>
    expect(await networkFileSystem(tmpdir())).toBeNull())
})
