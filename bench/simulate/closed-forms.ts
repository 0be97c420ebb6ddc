/** What queueing theory says of one station, to hold the simulation against. Times in the unit of the service time. */

/**
 * Probability that whoever comes has to wait (Erlang C).
 *
 * @param servers  1 or more
 * @param load     arrivals times service time, below `servers`
 */
export function waitingProbability(servers: number, load: number): number {
  // Erlang B by its recursion, which stays within doubles for any number of servers.
  let blocking = 1
  for (let server = 1; server <= servers; server += 1) blocking = (load * blocking) / (server + load * blocking)
  return blocking / (1 - (load / servers) * (1 - blocking))
}

/** Mean wait for a server with exponential service times (M/M/c). */
export function meanWaitExponential(servers: number, arrivals: number, serviceTime: number): number {
  const load = arrivals * serviceTime
  return (waitingProbability(servers, load) * serviceTime) / (servers - load)
}

/** Mean wait for one server whose service always takes as long (M/D/1). */
export function meanWaitFixed(arrivals: number, serviceTime: number): number {
  const load = arrivals * serviceTime
  return (load * serviceTime) / (2 * (1 - load))
}
