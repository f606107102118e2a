/** Names the module that a utility process runs; taken by its bootstrap. */
export const CHILD_ENTRY_VARIABLE = 'RAG_LADDER_CHILD_ENTRY'
/** `port`: it talks to whoever has the other end of the port that it gets, not to the host. */
export const CHILD_CHANNEL_VARIABLE = 'RAG_LADDER_CHILD_CHANNEL'
