#include "checker/record.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "checker/place_text.h"

namespace heddle::checker {

namespace {

struct Entity {
  std::string_view name;
  char sign;
};
constexpr std::array entities{Entity{"amp", '&'}, Entity{"lt", '<'}, Entity{"gt", '>'}, Entity{"quot", '"'},
                              Entity{"apos", '\''}};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto* found = std::ranges::find(entities, c, &Entity::sign);
    if (found == entities.end())
      out += c;
    else
      out += '&' + std::string(found->name) + ';';
  }
  return out;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<Element, std::string> document() {
    Element all;
    while (skip()) {
      Element one;
      if (!element(one, 0)) return error();
      all.inside.push_back(std::move(one));
    }
    if (!why_.empty()) return error();
    if (all.inside.size() == 1 && all.inside.front().name != "record") return std::move(all.inside.front());
    return all;
  }

 private:
  std::string error() const {
    const auto line = 1 + std::ranges::count(text_.substr(0, std::min(at_, text_.size())), '\n');
    return "(" + std::to_string(line) + "): " + why_;
  }
  bool fail(const char* why) {
    if (why_.empty()) why_ = why;
    return false;
  }
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) return fail("unexpected end of data");
    at_ = found + end.size();
    return true;
  }
  // To the next element; false: there is none.
  bool skip() {
    while (true) {
      blanks();
      if (starts("<?") ? !past("?>") : starts("<!--") ? !past("-->") : starts("<!") ? !past(">") : false)
        return false;
      blanks();
      if (at_ == text_.size()) return false;
      if (starts("<?") || starts("<!")) continue;
      return true;
    }
  }
  bool element(Element& to, unsigned depth) {
    constexpr unsigned most = 64;
    if (depth > most) return fail("elements stand too deep in one another");
    if (!starts("<")) return fail("expected <");
    const std::size_t name = ++at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '_' || text_[at_] == '-'))
      ++at_;
    if (at_ == name) return fail("expected element name");
    to.name = text_.substr(name, at_ - name);
    blanks();
    if (starts("/>")) {
      at_ += 2;
      return true;
    }
    if (!starts(">")) return fail("expected >");
    ++at_;
    std::string raw;
    while (true) {
      const std::size_t next = text_.find('<', at_);
      if (next == text_.npos) return fail("unexpected end of data");
      raw += text_.substr(at_, next - at_);
      at_ = next;
      if (starts("</")) break;
      if (starts("<!--")) {
        if (!past("-->")) return false;
        continue;
      }
      Element one;
      if (!element(one, depth + 1)) return false;
      to.inside.push_back(std::move(one));
    }
    at_ += 2;
    if (!starts(to.name)) return fail("incorrect closing tag name");
    at_ += to.name.size();
    blanks();
    if (!starts(">")) return fail("expected >");
    ++at_;
    return !to.inside.empty() || unescape(raw, to.text);
  }
  bool unescape(std::string_view raw, std::string& to) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '&') {
        to += raw[i];
        continue;
      }
      const std::size_t end = raw.find(';', i);
      const auto name = end == raw.npos ? std::string_view() : raw.substr(i + 1, end - i - 1);
      const auto* found = std::ranges::find(entities, name, &Entity::name);
      if (found == entities.end()) return fail("unknown entity");
      to += found->sign;
      i = end;
    }
    return true;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string why_;
};

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return std::isdigit(c) != 0; });
}

bool text_fits(const std::string& wanted, const std::string& text) {
  if (wanted == text) return true;
  if (is_number(wanted)) return false;
  try {
    return std::regex_match(text, std::regex(wanted));
  } catch (const std::regex_error&) {
    return false;  // it is no expression: only the same text will do
  }
}

bool fits(const Element& wanted, const Element& found);

bool frames_fit(const Element& wanted, const Element& found) {
  std::vector<const Element*> of_wanted, of_found;
  for (const Element& e : wanted.inside)
    if (e.name == "frame") of_wanted.push_back(&e);
  for (const Element& e : found.inside)
    if (e.name == "frame") of_found.push_back(&e);
  if (of_wanted.size() > of_found.size()) return false;
  for (std::size_t i = 0; i < of_wanted.size(); ++i)
    for (const std::string_view field : {"func", "path", "module"}) {
      const Element *w = of_wanted[i]->find(field), *f = of_found[i]->find(field);
      if (w != nullptr && (f == nullptr || !text_fits(w->text, f->text))) return false;
    }
  return true;
}

bool fits(const Element& wanted, const Element& found) {
  for (const Element& w : wanted.inside) {
    if (w.name == "text" || w.name == "address" || w.name == "count") continue;
    const Element* f = found.find(w.name);
    if (f == nullptr) return false;
    if (w.name.ends_with("Stack")) {
      if (!frames_fit(w, *f)) return false;
    } else if (w.inside.empty() ? !text_fits(w.text, f->text) : !fits(w, *f)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::string element(std::string_view name, std::string_view inside) {
  return '<' + std::string(name) + '>' + std::string(inside) + "</" + std::string(name) + '>';
}
std::string value(std::string_view name, std::string_view text) { return element(name, escaped(text)); }
std::string value(std::string_view name, uint64_t number) { return value(name, std::to_string(number)); }

std::string who_record(const std::array<uint32_t, 3>& thread, const std::array<uint32_t, 3>& block) {
  const auto of = [](std::string_view name, const std::array<uint32_t, 3>& v) {
    return element(name, value("x", v[0]) + value("y", v[1]) + value("z", v[2]));
  };
  return element("who", of("threadIdx", thread) + of("blockIdx", block));
}

std::string where_record(const module::Image& image, observe::Place place) {
  const PlaceText text = place_text(image, place);
  std::string inside = value("func", text.function.substr(0, text.function.find_first_of("(<")));
  if (!text.path.empty()) inside += value("path", text.path) + value("line", text.line);
  return element("where", inside + value("pc", hex(text.offset)));
}

std::string host_stack_record(const std::vector<const void*>& stack, std::string_view at,
                              std::string_view name) {
  if (stack.empty()) return {};
  std::string inside = value("saveLocation", at);
  for (const HostFrame& frame : host_frames(stack))
    inside += element("frame", (frame.function.empty()
                                    ? std::string()
                                    : value("func", frame.function.substr(0, frame.function.find('(')))) +
                                   value("pc", hex(frame.offset)) + value("module", frame.module));
  return element(name, inside);
}

const Element* Element::find(std::string_view wanted) const {
  const auto found = std::ranges::find(inside, wanted, &Element::name);
  return found == inside.end() ? nullptr : &*found;
}

Result<Element, std::string> read_elements(std::string_view text) { return Reader(text).document(); }

std::string printed(const Element& element, unsigned depth) {
  const std::string blanks(2 * std::size_t{depth}, ' ');
  if (element.inside.empty())
    return blanks + (element.text.empty() ? '<' + element.name + "/>" : value(element.name, element.text)) +
           '\n';
  std::string out = blanks + '<' + element.name + ">\n";
  for (const Element& one : element.inside) out += printed(one, depth + 1);
  return out + blanks + "</" + element.name + ">\n";
}

bool Suppressions::have(std::string_view record) const {
  const auto read = read_elements(record);
  if (!read.ok() || read.value().inside.empty()) return false;
  const Element& found = read.value().inside.front();
  const Element* kind = found.find("kind");
  if (kind == nullptr || (kind->text != "Api" && kind->text != "Initcheck" && kind->text != "Analysis" &&
                          kind->text != "Fpcheck"))
    return false;
  return std::ranges::any_of(document_.inside, [&](const Element& wanted) {
    const Element* own = wanted.name == "record" ? wanted.find("kind") : nullptr;
    return own != nullptr && own->text == kind->text && fits(wanted, found);
  });
}

}  // namespace heddle::checker
