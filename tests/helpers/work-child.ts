import { spawn } from 'node:child_process'
import { needsOwnGroup, reportProgram } from '../../providers/kit/work/programs.ts'

// The other side of `working-service`: does what it is asked to do.
process.on('message', ({ task, bytes }: { task: string; bytes: Uint8Array }) => {
  if (task === 'exit') process.exit(71)
  if (task === 'hang') {
    const program = spawn('sleep', ['1000'], { stdio: 'ignore', detached: needsOwnGroup() })
    reportProgram(program)
    process.send!({ program: program.pid })
    // The messages must get out before nothing else does.
    setTimeout(() => {
      for (;;);
    }, 20)
    return
  }
  const secrets = Object.keys(process.env).filter((name) => name.includes('TOKEN'))
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  process.send!({ task, pid: process.pid, sum, argument: process.argv[2], secrets })
})
process.once('disconnect', () => process.exit(0))
