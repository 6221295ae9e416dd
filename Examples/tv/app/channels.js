/** The channels of this brand: its own data, which a real app gets from the programmer's catalogue. */
export const channels = [
  { resource: "SampleNews", name: "Sample News", about: "News at the top of each hour." },
  { resource: "SampleSports", name: "Sample Sports", about: "Matches, live and again." },
  { resource: "SampleKids", name: "Sample Kids", about: "Cartoons until bedtime." },
  { resource: "SampleMovies", name: "Sample Movies", about: "Not in every package: Sample Cable refuses it, Sample Fiber does not." },
  { resource: "SampleNight", name: "Sample Night", about: "Blocked by parental controls at every provider." },
];

/** @returns the name of a channel; the resource itself if it is not one of ours. */
export function channelName(resource) {
  return channels.find((one) => one.resource === resource)?.name ?? resource;
}
