export type InTurn = <Result>(work: () => Promise<Result>) => Promise<Result>

/** Runs changes one after another, so that none overwrites what another has just written. One that fails does not stop the next. */
export function oneAfterAnother(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const turn = last.catch(() => undefined).then(work)
    last = turn
    return turn
  }
}
