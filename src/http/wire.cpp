#include "http/wire.hpp"

#include "support/assert.hpp"

#include <charconv>

namespace parcelflow::http {

namespace {

std::string_view reason(int status) noexcept {
  switch (status) {
  case 200: return "OK";
  case 201: return "Created";
  case 202: return "Accepted";
  case 204: return "No Content";
  case 304: return "Not Modified";
  case 400: return "Bad Request";
  case 401: return "Unauthorized";
  case 402: return "Payment Required";
  case 403: return "Forbidden";
  case 404: return "Not Found";
  case 405: return "Method Not Allowed";
  case 406: return "Not Acceptable";
  case 408: return "Request Timeout";
  case 409: return "Conflict";
  case 410: return "Gone";
  case 412: return "Precondition Failed";
  case 413: return "Content Too Large";
  case 415: return "Unsupported Media Type";
  case 417: return "Expectation Failed";
  case 421: return "Misdirected Request";
  case 422: return "Unprocessable Content";
  case 429: return "Too Many Requests";
  case 431: return "Request Header Fields Too Large";
  case 500: return "Internal Server Error";
  case 501: return "Not Implemented";
  case 503: return "Service Unavailable";
  case 504: return "Gateway Timeout";
  case 505: return "HTTP Version Not Supported";
  case 507: return "Insufficient Storage";
  default: return ""; // the phrase may be empty, the space before it not
  }
}

void append_number(std::string& out, std::size_t value) {
  char digits[20];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  out.append(digits, end);
}

void append_text(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out.push_back(byte < 0x20 || byte == 0x7f ? ' ' : c);
  }
}

} // namespace

void append_response(std::string& out, const response& answer,
                     const wire_form& form, std::string_view date) {
  PF_ASSERT(answer.status >= 200 && answer.status <= 599);
  const bool bodiless = answer.status == 204 || answer.status == 304;
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::size_t>(answer.status));
  out += ' ';
  out += reason(answer.status);
  out += "\r\nDate: ";
  out += date;
  for (const auto& [name, value] : answer.headers) {
    out += "\r\n";
    append_text(out, name);
    out += ": ";
    append_text(out, value);
  }
  if (!bodiless) {
    out += "\r\nContent-Length: ";
    append_number(out, answer.body.size());
  }
  if (form.close)
    out += "\r\nConnection: close";
  else if (form.http_1_0)
    out += "\r\nConnection: keep-alive";
  out += "\r\n\r\n";
  if (!bodiless && !form.head)
    out += answer.body;
}

std::string http_date(std::time_t at) {
  std::tm utc{};
  ::gmtime_r(&at, &utc);
  char text[32];
  const auto length =
    std::strftime(text, sizeof text, "%a, %d %b %Y %H:%M:%S GMT", &utc);
  return {text, length};
}

} // namespace parcelflow::http
